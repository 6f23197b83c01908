import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { longAudio } from '#contract/audio/transcription.ts';
import { grantCredits } from '#domain/billing/grants.ts';
import { services } from '#runtime/services/container.ts';
import { adts, silence, wavFile } from '#test/audio/files.ts';
import { ended, newUpload, sendFile, transcribed, uploaded } from '#test/audio/long-audio.ts';
import { oggPage, webm } from '#test/audio/recordings.ts';
import { code, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const somebody = usePerson(service, { planRank: 4 });

let spoken: Buffer;

const text = 'Good morning, my friend. The river runs by the old stone house.';

beforeAll(async () => {
  const { body } = await service.call('POST', '/api/ai/speech', { key: somebody.key, body: { text } });
  spoken = Buffer.from(body.data.audio, 'base64');
});

async function balance(key: string) {
  await service.settled();
  const { body } = await service.call('GET', '/api/credits', { key });
  return body.data;
}

describe('an upload form', () => {
  it('expires after an hour, at the time that the response states', async () => {
    const { key } = await service.person({ planRank: 3 });
    const body = { contentType: 'audio/mpeg', bytes: 1000 };
    const upload = (await service.call('POST', '/api/ai/uploads', { key, body })).body.data;
    const { expiration } = JSON.parse(Buffer.from(upload.fields.Policy, 'base64').toString());
    for (const end of [expiration, upload.expiresAt]) {
      expect(Math.abs(Date.parse(end) - Date.now() - 3_600_000)).toBeLessThan(15_000);
    }
  });
});

describe('an uploaded recording', () => {
  it('is transcribed and charged by the second, and its audio is deleted', async () => {
    const { key } = await service.person({ planRank: 3, credits: 100 });
    const uploadId = await uploaded(service, key, spoken, 'audio/mpeg');
    const made = await transcribed(service, key, uploadId, { language: 'en', timestamps: 'word' });
    expect(code(made)).toBe('201 SUCCESS');
    expect(made.body.data).toMatchObject({ uploadId, language: 'en', timestamps: 'word' });
    const done = await ended(service, key, made.body.data.id);
    expect(done).toMatchObject({ status: 'completed', text });
    expect(done.words.map(({ word }: { word: string }) => word).join(' ')).toBe(text);
    expect(done.credits).toBeCloseTo(Math.ceil(done.durationSeconds) / 10, 6);
    expect((await balance(key)).balance).toBe(Math.floor(100 - done.credits));
    const { body } = await service.call('GET', '/api/ai/transcriptions', { key });
    expect(body.data.items.map(({ id, status }: any) => [id, status])).toEqual([[done.id, 'completed']]);
    expect(code(await transcribed(service, key, uploadId))).toBe('409 INVALID_STATE');
  });

  it('of many megabytes is assembled and transcribed, and a refund of zero creates no ledger entry', async () => {
    const { key } = await service.person({ planRank: 4 });
    const recording = silence(1500);
    const made = await transcribed(service, key, await uploaded(service, key, recording));
    expect([code(made), made.body.data.credits]).toEqual(['201 SUCCESS', 150]);
    const done = await ended(service, key, made.body.data.id);
    expect(done).toMatchObject({ status: 'completed', durationSeconds: 1500, credits: 150, segments: [] });
    expect(done.text).toBe('[1500 seconds of sound: the demo engine reads only its own speech]');
    const { entries } = await balance(key);
    expect(entries.map(({ type, credits }: any) => [type, credits]).slice(0, 1)).toEqual([['charge', -150]]);
    expect(entries.filter(({ credits }: any) => credits === 0)).toEqual([]);
  });

  it("is refunded for seconds charged above its duration, in the balance and in the key's limit", async () => {
    const { id, cookie } = await service.person({ planRank: 4 });
    const limited = await service.call('POST', '/api/keys', {
      cookie,
      body: { name: 'limited', limit: { credits: 500, period: 'day' } },
    });
    const key = limited.body.data.key;
    const frames = adts(4000, 200);
    const made = await transcribed(service, key, await uploaded(service, key, frames, 'audio/aac'));
    expect([code(made), made.body.data.credits]).toEqual(['201 SUCCESS', 40]);
    const done = await ended(service, key, made.body.data.id);
    expect(done).toMatchObject({ status: 'completed', durationSeconds: 256, credits: 25.6 });
    await service.settled();
    const keys = await service.call('GET', '/api/keys', { cookie });
    const record = keys.body.data.find(({ name }: any) => name === 'limited');
    expect([id > 0, record.limit.used]).toEqual([true, 25.6]);
  });
});

it('an uploaded recording whose header declares almost no audio is accepted', async () => {
  const { key } = await service.person({ planRank: 3, credits: 100 });
  const uploadId = await uploaded(service, key, webm({ seconds: 0, headerSeconds: 1e-250 }), 'audio/webm');
  expect(code(await transcribed(service, key, uploadId))).toBe('201 SUCCESS');
});

it('an uploaded recording is read once if the credits do not cover it, however often its transcription is requested', async () => {
  const { key } = await service.person({ planRank: 3, credits: 0.1 });
  const frames = adts(4000, 200);
  const uploadId = await uploaded(service, key, frames, 'audio/aac');
  const send = vi.spyOn(S3Client.prototype, 'send');
  const reads = () => send.mock.calls.filter(([command]) => command instanceof GetObjectCommand).length;
  expect(code(await transcribed(service, key, uploadId))).toBe('402 INSUFFICIENT_CREDITS');
  const once = reads();
  expect(once).toBeGreaterThan(0);
  for (let tries = 0; tries < 3; tries++)
    expect(code(await transcribed(service, key, uploadId))).toBe('402 INSUFFICIENT_CREDITS');
  expect(reads()).toBe(once);
  send.mockRestore();
});

const wav = silence(2);

/** Vorbis at one sample per second, whose last page states the maximum position. */
const vorbis = Buffer.concat([
  Buffer.from('\u0001vorbis', 'latin1'),
  Buffer.from([0, 0, 0, 0, 1, 1]),
  Buffer.alloc(20),
]);
const ages = Buffer.concat([oggPage(2, 0n, 0, vorbis), oggPage(4, 2n ** 63n - 1n, 1, Buffer.alloc(100))]);

const grant = (accountId: number, credits: number) =>
  services()
    .metering()
    .change(accountId, Date.now(), (meter) => grantCredits(meter, credits * 1_000_000, Math.floor(Date.now() / 1000)));

async function credits(key: string): Promise<number> {
  await service.settled();
  return (await service.call('GET', '/api/credits', { key })).body.data.balance;
}

describe('an upload', () => {
  it.each<[string, unknown, RegExp]>([
    ['of 0 bytes', { contentType: 'audio/wav', bytes: 0 }, /^bytes must be positive\.$/],
    [
      'above the size limit',
      { contentType: 'audio/wav', bytes: longAudio.maxBytes + 1 },
      /^bytes must be at most 500000000\.$/,
    ],
    ['of a type in capitals', { contentType: 'AUDIO/WAV', bytes: 9 }, /^contentType must be a supported audio type: /],
    ['of a fraction of a byte', { contentType: 'audio/wav', bytes: 1.5 }, /^bytes must be an integer\.$/],
    ['of another media type', { contentType: 'text/html', bytes: 9 }, /^contentType must be a supported audio type/],
    [
      'of an unknown audio type',
      { contentType: 'audio/midi', bytes: 9 },
      /^contentType must be a supported audio type: /,
    ],
    ['without a length', { contentType: 'audio/wav' }, /^bytes/],
  ])('%s returns 400 with the name of the invalid field', async (_, body, detail) => {
    const refused = await service.call('POST', '/api/ai/uploads', { key: somebody.key, body });
    expect([code(refused), refused.body.detail]).toEqual(['400 INVALID_FORMAT', expect.stringMatching(detail)]);
  });

  it.each<[string, Buffer, Record<string, string>, number, string]>([
    ['longer than announced', Buffer.alloc(11), {}, 400, 'EntityTooLarge'],
    ['shorter than announced', Buffer.alloc(9), {}, 400, 'EntityTooSmall'],
    ['of another type', Buffer.alloc(10), { 'Content-Type': 'text/html' }, 403, 'AccessDenied'],
    ['under another key', Buffer.alloc(10), { key: 'uploads/1/upl_x' }, 403, 'AccessDenied'],
    ['with another signature', Buffer.alloc(10), { 'X-Amz-Signature': '0'.repeat(64) }, 403, 'SignatureDoesNotMatch'],
  ])('refuses a file %s, and stores nothing', async (_, bytes, change, status, error) => {
    const { key } = await service.person();
    const { body } = await newUpload(service, key, 10);
    const sent = await sendFile(body.data, bytes, change);
    expect([sent.status, sent.text]).toEqual([status, expect.stringContaining(`<Code>${error}</Code>`)]);
    const job = await transcribed(service, key, body.data.id);
    expect([code(job), job.body.detail]).toEqual(['409 INVALID_STATE', expect.stringMatching(/has not been uploaded/)]);
  });

  it('counts towards the limit of ten per account until it is transcribed', async () => {
    const [one, other] = [await service.person(), await service.person()];
    const uploadId = await uploaded(service, one.key, wav);
    for (let count = 1; count < longAudio.openUploads; count++) await newUpload(service, one.key, 10);
    expect(code(await newUpload(service, one.key, 10))).toBe('409 INVALID_STATE');
    expect(code(await newUpload(service, other.key, 10))).toBe('201 SUCCESS');
    expect(code(await transcribed(service, other.key, uploadId))).toBe('404 NOT_FOUND');
    expect(code(await transcribed(service, one.key, uploadId))).toBe('201 SUCCESS');
    expect(code(await newUpload(service, one.key, 10))).toBe('201 SUCCESS');
  });

  it('refuses its file after an hour of the shifted clock', async () => {
    const { key } = await service.person();
    const { body } = await newUpload(service, key, 10);
    await service.post('/_local/clock', { advance: 'PT1H' });
    const late = await sendFile(body.data, Buffer.alloc(10));
    expect([late.status, late.text]).toEqual([403, expect.stringContaining('Policy expired')]);
    expect(code(await transcribed(service, key, body.data.id))).toBe('404 NOT_FOUND');
    const { body: next } = await newUpload(service, key, 10);
    await service.post('/_local/clock', { advance: 'PT58M' });
    expect((await sendFile(next.data, Buffer.alloc(10))).status).toBe(204);
  });
});

describe('a transcription request', () => {
  it.each([
    ['no audio', Buffer.from('not audio at all, just words')],
    ['a header alone', wav.subarray(0, 20)],
    ['another type than announced', wav, 'audio/mpeg'],
    ['an absurd duration in a WebM header', webm({ seconds: 1, headerSeconds: 1e200 }), 'audio/webm'],
    ['an absurd position in an Ogg page', ages, 'audio/ogg'],
    ['more than 24 hours', wavFile({ rate: 1, length: 86_401, bytes: 86_401 })],
  ])('for %s returns 400 without a charge, and deletes the file', async (_, bytes, type = 'audio/wav') => {
    const { key } = await service.person({ planRank: 2 });
    const before = await credits(key);
    const uploadId = await uploaded(service, key, bytes, type);
    expect(code(await transcribed(service, key, uploadId))).toBe('400 INVALID_FORMAT');
    expect(code(await transcribed(service, key, uploadId))).toBe('404 NOT_FOUND');
    expect(await credits(key)).toBe(before);
  });

  it('returns 402 without enough credits, and 201 after a grant', async () => {
    const { key, id } = await service.person({ planRank: 2, credits: 0.1 });
    const uploadId = await uploaded(service, key, wav);
    expect(code(await transcribed(service, key, uploadId))).toBe('402 INSUFFICIENT_CREDITS');
    await grant(id, 10);
    expect(code(await transcribed(service, key, uploadId))).toBe('201 SUCCESS');
  });

  it('creates a job that other accounts can neither read nor delete', async () => {
    const [one, other] = [await service.person({ planRank: 2 }), await service.person({ planRank: 2 })];
    const { body } = await transcribed(service, one.key, await uploaded(service, one.key, wav));
    const path = `/api/ai/transcriptions/${body.data.id}`;
    expect(code(await service.call('GET', path, { key: other.key }))).toBe('404 NOT_FOUND');
    expect(code(await service.call('DELETE', path, { key: other.key }))).toBe('404 NOT_FOUND');
    expect((await service.call('GET', '/api/ai/transcriptions', { key: other.key })).body.data.items).toEqual([]);
    expect(await ended(service, one.key, body.data.id)).toMatchObject({ status: 'completed', credits: 0.2 });
  });

  it('runs once per upload, even if it is sent concurrently', async () => {
    const { key } = await service.person({ planRank: 4 });
    const uploadId = await uploaded(service, key, wav);
    const all = await Promise.all(Array.from({ length: 5 }, () => transcribed(service, key, uploadId)));
    expect(all.map(code).toSorted()).toEqual(['201 SUCCESS', ...Array.from({ length: 4 }, () => '409 INVALID_STATE')]);
    const { body } = await service.call('GET', '/api/ai/transcriptions', { key });
    expect(body.data.items).toHaveLength(1);
  });

  it('returns 403 to a key of other models, before and after another key used the upload and the Idempotency-Key', async () => {
    const { key, cookie } = await service.person({ planRank: 2 });
    const body = { name: 'limited', models: ['svc-1'] };
    const limited = (await service.call('POST', '/api/keys', { cookie, body })).body.data.key;
    const uploadId = await uploaded(service, key, wav);
    const headers = { 'Idempotency-Key': 'one-recording' };
    const refused = async () => {
      for (const options of [{}, headers])
        expect(code(await transcribed(service, limited, uploadId, {}, options))).toBe('403 INSUFFICIENT_PERMISSIONS');
    };
    await refused();
    expect(code(await transcribed(service, key, uploadId, {}, headers))).toBe('201 SUCCESS');
    await refused();
  });
});
