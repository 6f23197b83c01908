import { S3Client } from '@aws-sdk/client-s3';
import { limitedTo } from './timeouts.ts';

/**
 * Checksums only where S3 requires them, because files are small or copied by S3. Path-style URLs outside AWS. A
 * separate module, because few functions load S3.
 */
export const s3Client = (): S3Client =>
  new S3Client({
    maxAttempts: 3,
    requestHandler: limitedTo(20_000),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    forcePathStyle: process.env['AWS_ENDPOINT_URL_S3'] !== undefined,
  });
