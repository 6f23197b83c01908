import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FileStore, openFileStore } from '#local/s3/file-store.ts';
import { startS3 } from '#local/s3/server.ts';
import { removeFolder, testFolder } from '#test/folder.ts';

const Bucket = 'audio';
const page = 'http://127.0.0.1:8787';
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

let folder: string;
let store: FileStore;
let server: Awaited<ReturnType<typeof startS3>>;
let client: S3Client;
let now = Date.now();

const options = { bucket: Bucket, secret: () => 'local', now: () => now, pageOrigins: [page] };

beforeAll(async () => {
  folder = await testFolder();
  store = openFileStore(join(folder, 'audio'), { now: () => now });
  server = await startS3({ store, ...options });
  client = new S3Client({ endpoint: server.url, region: 'us-east-1', credentials, forcePathStyle: true });
});
afterAll(async () => {
  client.destroy();
  await server.close();
  await removeFolder(folder);
});

const bytesOf = async (Key: string, more = {}) => {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, ...more }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
};

describe('an object', () => {
  it.each([
    ['uploads/1', 2],
    ['texts/1', 31],
  ])('below %s is deleted after %i days of the moved clock', async (key, days) => {
    const stored = openFileStore(join(folder, key), { now: () => now });
    const pieces = async function* () {
      yield Buffer.from('x');
    };
    const draft = await stored.draft(pieces(), 1);
    await stored.keep(key, 'text/plain', await stored.draft(pieces(), 1));
    const begun = now;
    onTestFinished(() => void (now = begun));
    now = begun + (days - 0.1) * 86_400_000;
    await stored.expire();
    expect((await stored.find(key))?.key).toBe(key);
    now = begun + (days + 0.1) * 86_400_000;
    await stored.expire();
    expect(await stored.find(key)).toBeUndefined();
    // Objects that are being written never expire.
    await stored.keep('draft', 'text/plain', draft);
    await stored.expire();
    expect((await stored.find('draft'))?.key).toBe('draft');
  });

  it('can be put, read whole and by range, and deleted', async () => {
    const { ETag } = await client.send(
      new PutObjectCommand({ Bucket, Key: 'a b/ü', Body: 'hello', ContentType: 'text/x' }),
    );
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'a b/ü' }));
    expect([head.ContentLength, head.ContentType, head.ETag]).toEqual([5, 'text/x', ETag]);
    expect((await bytesOf('a b/ü')).toString()).toBe('hello');
    expect((await bytesOf('a b/ü', { Range: 'bytes=1-2', IfMatch: ETag })).toString()).toBe('el');
    await expect(bytesOf('a b/ü', { IfMatch: '"other"' })).rejects.toThrow(/pre-conditions/);
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'a b/ü' }));
    await expect(bytesOf('a b/ü')).rejects.toMatchObject({ name: 'NoSuchKey' });
    await expect(client.send(new HeadObjectCommand({ Bucket, Key: 'a b/ü' }))).rejects.toMatchObject({
      name: 'NotFound',
    });
  });

  it('can be assembled from parts, one of them a copy', async () => {
    const source = randomBytes(6 * 1024 * 1024);
    const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key: 'source', Body: source }));
    const to = { Bucket, Key: 'whole' };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(to));
    const head = randomBytes(5 * 1024 * 1024);
    const upload = async (PartNumber: number, Body: Buffer | string) =>
      (await client.send(new UploadPartCommand({ ...to, UploadId, PartNumber, Body }))).ETag;
    const range = { CopySourceIfMatch: ETag, CopySourceRange: `bytes=10-${source.length - 1}` };
    const copying = { ...to, UploadId, PartNumber: 2, CopySource: `${Bucket}/source`, ...range };
    const copy = async () => (await client.send(new UploadPartCopyCommand(copying))).CopyPartResult?.ETag;
    const tags = [await upload(1, head), await copy(), await upload(3, 'end')];
    const Parts = tags.map((tag, index) => ({ ETag: tag, PartNumber: index + 1 }));
    await client.send(new CompleteMultipartUploadCommand({ ...to, UploadId, MultipartUpload: { Parts } }));
    expect(Buffer.compare(await bytesOf('whole'), Buffer.concat([head, source.subarray(10), Buffer.from('end')]))).toBe(
      0,
    );
  });
});

const draftsIn = async (path: string) => (await readdir(join(path, 'audio'))).filter((name) => name.endsWith('.draft'));

describe('a form', () => {
  const allowed = (length = 10) =>
    createPresignedPost(client, {
      Bucket,
      Key: 'form',
      Expires: 3600,
      Fields: { 'Content-Type': 'audio/wav' },
      Conditions: [['content-length-range', length, length]],
    });

  function formOf(fields: Readonly<Record<string, string>>, bytes: Buffer): FormData {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(bytes)]), 'file');
    return form;
  }

  async function send(bytes: Buffer, change: Readonly<Record<string, string>> = {}, length?: number) {
    const { url, fields } = await allowed(length);
    const response = await fetch(url, { method: 'POST', body: formOf({ ...fields, ...change }, bytes) });
    return `${response.status} ${/<Code>(\w+)/.exec(await response.text())?.[1] ?? ''}`.trim();
  }

  it('is accepted if it satisfies its policy', async () => {
    expect(await send(Buffer.alloc(10, 1))).toBe('204');
    expect(await bytesOf('form')).toEqual(Buffer.alloc(10, 1));
    const { ContentType } = await client.send(new HeadObjectCommand({ Bucket, Key: 'form' }));
    expect(ContentType).toBe('audio/wav');
  });

  it.each<[string, Record<string, string>, string]>([
    ['with another key', { key: 'other' }, '403 AccessDenied'],
    ['with another type', { 'Content-Type': 'text/html' }, '403 AccessDenied'],
    ['with a field outside its policy', { acl: 'public-read' }, '403 AccessDenied'],
    [
      'with another policy',
      { Policy: Buffer.from('{"expiration":"2999-01-01T00:00:00Z","conditions":[]}').toString('base64') },
      '403 SignatureDoesNotMatch',
    ],
    ['with no signature', { 'X-Amz-Signature': '' }, '403 SignatureDoesNotMatch'],
  ])('is refused %s', async (_, change, error) => {
    expect(await send(Buffer.alloc(10), change)).toBe(error);
  });

  it.each([
    ['of no type', undefined, 'x'],
    ['of a type without a boundary', 'multipart/form-data', 'x'],
    ['of JSON', 'application/json', '{}'],
    ['without an end', 'multipart/form-data; boundary=b', '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\nx'],
    [
      'with a part without a name',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data\r\n\r\nx\r\n--b--\r\n',
    ],
  ])('%s is refused with 400, and the server continues', async (_, type, body) => {
    const headers = type === undefined ? undefined : { 'content-type': type };
    const response = await fetch((await allowed()).url, {
      method: 'POST',
      body: Buffer.from(body),
      ...(headers && { headers }),
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('MalformedPOSTRequest')]);
    expect(await send(Buffer.alloc(10))).toBe('204');
  });

  it('with too many or too few bytes is refused, and nothing is stored', async () => {
    const size = await store.size();
    expect(await send(Buffer.alloc(11))).toBe('400 EntityTooLarge');
    expect(await send(Buffer.alloc(9))).toBe('400 EntityTooSmall');
    expect(await send(Buffer.alloc(3_000_000))).toBe('400 EntityTooLarge');
    expect(await store.size()).toBe(size);
  });

  it('is refused with 503 if the disk is full, and nothing is stored', async () => {
    const noRoom = openFileStore(join(folder, 'full'), { reserve: Number.POSITIVE_INFINITY });
    const full = await startS3({ store: noRoom, ...options });
    const body = formOf((await allowed()).fields, Buffer.alloc(10));
    const response = await fetch(`${full.url}/${Bucket}`, { method: 'POST', body });
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('too full')]);
    expect(await readdir(join(folder, 'full'))).toEqual([]);
    await full.close();
  });

  it('is refused once its policy has expired', async () => {
    now += 2 * 3600 * 1000;
    expect(await send(Buffer.alloc(10))).toBe('403 AccessDenied');
    now -= 2 * 3600 * 1000;
  });

  const preflight = async (headers: Record<string, string>, path = '/audio') => {
    const response = await fetch(server.url + path, { method: 'OPTIONS', headers });
    return [response.status, response.headers.get('access-control-allow-origin')];
  };

  it('is accepted only from the dashboard, which can read its errors', async () => {
    const posting = { 'access-control-request-method': 'POST' };
    expect(await preflight({ origin: page, ...posting })).toEqual([200, page]);
    for (const [origin, method, path] of [
      ['http://127.0.0.1:1', 'POST', '/audio'],
      ['https://evil.example', 'POST', '/audio'],
      ['null', 'POST', '/audio'],
      [page, 'POST', '/audio/form'],
      [page, 'POST', '/other'],
    ] as const)
      expect(await preflight({ origin, 'access-control-request-method': method }, path)).toEqual([403, null]);
    expect(await preflight({ origin: page, 'access-control-request-method': 'DELETE' })).toEqual([403, page]);
    expect(await preflight({ origin: page, ...posting, 'access-control-request-headers': 'x-amz-acl' })).toEqual([
      403,
      page,
    ]);
    for (const [origin, bytes, expected] of [
      [page, 10, [204, page]],
      [page, 9, [400, page]],
      ['https://evil.example', 10, [403, null]],
    ] as const) {
      const { url, fields } = await allowed();
      const body = formOf(fields, Buffer.alloc(bytes));
      const { status, headers } = await fetch(url, { method: 'POST', body, headers: { origin } });
      expect([status, headers.get('access-control-allow-origin')]).toEqual(expected);
    }
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE'])
      expect((await fetch(`${server.url}/audio/form`, { method, headers: { origin: page } })).status).toBe(403);
  });

  it('that breaks off stores nothing', async () => {
    const size = await store.size();
    const { url, fields } = await allowed(1_000_000);
    const sending = request(url, { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=b' } });
    const closed = new Promise((resolve) => sending.on('error', resolve).on('close', resolve));
    for (const [name, value] of Object.entries(fields))
      sending.write(`--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
    sending.write('--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n');
    sending.write(Buffer.alloc(500_000));
    setTimeout(() => sending.destroy(), 100);
    await closed;
    await vi.waitFor(async () => expect(await draftsIn(folder)).toEqual([]));
    expect(await store.size()).toBe(size);
  });
});
