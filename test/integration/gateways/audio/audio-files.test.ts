import { setImmediate as nextTurn } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOfStorage } from '#domain/audio/job.ts';
import { audioFiles } from '#gateways/audio/audio-files.ts';
import { type Loopback, listen } from '#local/shared/loopback.ts';
import { explainOutage } from '#runtime/outage.ts';
import { silence } from '#test/audio/files.ts';

const file = silence(60);
const stored = { bytes: file.length, contentType: 'audio/wav', version: '"one"' };

/** How storage sends a range: the size of the chunks, and their number before the connection breaks. */
let way = { pieceBytes: 1024, pieces: Number.POSITIVE_INFINITY };
let storage: Loopback;
let client: S3Client;

beforeAll(async () => {
  storage = await listen((req, res) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '') ?? [];
    const bytes = file.subarray(Number(from), Number(to) + 1);
    if (way.pieces === 0) {
      res.writeHead(404, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>');
      return;
    }
    res.writeHead(206, { 'content-length': bytes.length });
    const { pieceBytes, pieces } = way;
    const send = async (): Promise<void> => {
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        if (at >= pieces * pieceBytes) return void res.destroy();
        res.write(bytes.subarray(at, at + pieceBytes));
        await nextTurn();
      }
      res.end();
    };
    void send();
  });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new S3Client({ endpoint: storage.url, region: 'us-east-1', credentials, forcePathStyle: true });
});
afterAll(async () => {
  client.destroy();
  await storage.close();
});

describe('the form of an upload', () => {
  const hour = 3_600_000;

  it.each([
    ['an hour with credentials that do not expire', {}, hour],
    ['15 minutes with the credentials of a function', { sessionToken: 'token' }, hour / 4],
    ['until the credentials expire', { sessionToken: 'token', expiration: new Date(Date.now() + hour / 2) }, hour / 2],
  ])('is valid for %s', async (_, about, expected) => {
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local', ...about };
    const signer = new S3Client({ endpoint: storage.url, region: 'us-east-1', credentials, forcePathStyle: true });
    const now = Date.now();
    const file = { contentType: 'audio/wav', bytes: 1000, expiresAt: now + hour };
    const { fields, expiresAt } = await audioFiles(signer, 'audio').allowUpload('uploads/1/upl_x', file);
    const { expiration } = JSON.parse(Buffer.from(fields['Policy'] ?? '', 'base64').toString());
    for (const end of [expiresAt, Date.parse(expiration)]) expect(Math.abs(end - now - expected)).toBeLessThan(5000);
    signer.destroy();
  });
});

const facts = () => audioFiles(client, 'audio').factsOf('uploads/1/upl_x', stored);

describe('a file in storage', () => {
  it('is read in chunks of any size', async () => {
    way = { pieceBytes: 500, pieces: Number.POSITIVE_INFINITY };
    expect(await facts()).toEqual({ container: 'WAVE', seconds: 60 });
  });

  it('fails with a transient storage error, not as an invalid file, if the transfer breaks off', async () => {
    way = { pieceBytes: 1024, pieces: 3 };
    const error = await facts().catch((failed: unknown) => failed);
    expect([isOfStorage(error), explainOutage(error)?.code]).toEqual([true, 'SERVICE_UNAVAILABLE']);
  });

  it('returns 409 if it is missing because another request has transcribed it', async () => {
    way = { pieceBytes: 1024, pieces: 0 };
    await expect(facts()).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });
});
