import { S3Client } from '@aws-sdk/client-s3';
import { connectionTimeout } from './timeouts.ts';

/** Computes checksums only if S3 requires them. Path-style addressing for local endpoints. */
export function s3Client(): S3Client {
  const requestHandler = { connectionTimeout, requestTimeout: 20_000, throwOnRequestTimeout: true };
  return new S3Client({
    maxAttempts: 3,
    requestHandler,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    forcePathStyle: process.env['AWS_ENDPOINT_URL_S3'] !== undefined,
  });
}
