import { GetObjectCommand, NoSuchKey, PutObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '#aws/s3-client.ts';
import type { ArchiveFiles } from '#domain/billing/archive.ts';

/** Objects of the ledger's closed months in an S3 bucket. */
export function ledgerArchiveFiles(Bucket: string, client = s3Client()): ArchiveFiles {
  return {
    /**
     * S3 rejects bytes that do not match the checksum. Intelligent-Tiering suits rows that are rarely read after a
     * month, because it has no retrieval fee.
     */
    async write(Key, Body) {
      await client.send(
        new PutObjectCommand({
          Bucket,
          Key,
          Body,
          ContentType: 'application/gzip',
          StorageClass: 'INTELLIGENT_TIERING',
          ChecksumAlgorithm: 'SHA256',
        }),
      );
    },
    async read(Key) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
        return await Body?.transformToByteArray();
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
  };
}
