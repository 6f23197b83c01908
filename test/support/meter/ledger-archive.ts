import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { ledgerArchiveFiles } from '#gateways/ledger-archive-files.ts';
import { openFileStore } from '#local/s3/file-store.ts';
import { startS3 } from '#local/s3/server.ts';
import { removeFolder, testFolder } from '../folder.ts';

/** Starts an S3 stand-in for the archive's bucket. `keys` are the objects in the order of writing. */
export async function startArchive() {
  const folder = await testFolder();
  const store = openFileStore(join(folder, 'archive'));
  const server = await startS3({ store, bucket: 'archive', secret: () => 'local', now: Date.now });
  const client = new S3Client({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    forcePathStyle: true,
  });
  const files = ledgerArchiveFiles('archive', client);
  const keys: string[] = [];
  const recorded = {
    ...files,
    async write(key: string, bytes: Uint8Array): Promise<void> {
      await files.write(key, bytes);
      keys.push(key);
    },
  };
  return {
    url: server.url,
    keys,
    files: async () => recorded,
    remove: (key: string) => store.remove(key),
    async close(): Promise<void> {
      client.destroy();
      await server.close();
      await removeFolder(folder);
    },
  };
}
