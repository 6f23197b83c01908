import { join } from 'node:path';
import { DeleteObjectsCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FileStore, openFileStore } from '#local/s3/file-store.ts';
import { startS3 } from '#local/s3/server.ts';
import { createFaults } from '#local/shared/faults.ts';
import { removeFolder, testFolder } from '#test/folder.ts';

const Bucket = 'contents';
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const faults = createFaults();

let folder: string;
let store: FileStore;
let server: Awaited<ReturnType<typeof startS3>>;
let client: S3Client;
let now = Date.now();

beforeAll(async () => {
  folder = await testFolder();
  store = openFileStore(join(folder, 'contents'), { now: () => now, maxObjects: 20 });
  const secret = () => 'local';
  const others = { [Bucket]: store };
  const audio = openFileStore(join(folder, 'audio'));
  server = await startS3({ store: audio, bucket: 'audio', others, secret, now: () => now, faults });
  client = new S3Client({
    endpoint: server.url,
    region: 'us-east-1',
    credentials,
    forcePathStyle: true,
    maxAttempts: 1,
  });
});
afterAll(async () => {
  client.destroy();
  await server.close();
  await removeFolder(folder);
});

const put = (Key: string, days: number) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body: Key, Tagging: `days=${days}` }));
const list = async (Prefix: string, more = {}) => {
  const { Contents = [], IsTruncated } = await client.send(new ListObjectsV2Command({ Bucket, Prefix, ...more }));
  return [Contents.map(({ Key }) => Key), IsTruncated];
};

describe('a bucket', () => {
  it('lists keys with a prefix in order and by pages, and deletes several at once', async () => {
    for (const key of ['1/b', '1/a&<', '12/a', '1/c']) await put(key, 7);
    expect(await list('1/')).toEqual([['1/a&<', '1/b', '1/c'], false]);
    expect(await list('1/', { MaxKeys: 1, StartAfter: '1/a&<' })).toEqual([['1/b'], true]);
    const Delete = { Objects: [{ Key: '1/a&<' }, { Key: '1/b' }, { Key: '1/none' }] };
    await client.send(new DeleteObjectsCommand({ Bucket, Delete }));
    expect(await list('')).toEqual([['1/c', '12/a'], false]);
  });

  it('deletes objects after the days of their tag on the moved clock', async () => {
    await put('2/short', 1);
    await put('2/long', 30);
    now += 86_400_000;
    await store.expire();
    expect(await list('2/')).toEqual([['2/long'], false]);
    now += 29 * 86_400_000;
    await store.expire();
    expect(await list('2/')).toEqual([[], false]);
  });

  it('keeps the newest objects within its bound', async () => {
    for (let index = 0; index < 200; index++) {
      now += 1000;
      await put(`3/${String(index).padStart(3, '0')}`, 30);
    }
    expect(await store.size()).toBeLessThan(20 + 100);
    const [keys] = await list('3/', { MaxKeys: 1000 });
    expect(keys).toContain('3/199');
    expect(keys).not.toContain('3/000');
  });

  it('fails as often as ordered', async () => {
    faults.order({ target: 's3', fault: 'unavailable', count: 1 });
    await expect(put('4/a', 7)).rejects.toMatchObject({ name: 'ServiceUnavailable' });
    await put('4/a', 7);
    expect(await list('4/')).toEqual([['4/a'], false]);
  });
});
