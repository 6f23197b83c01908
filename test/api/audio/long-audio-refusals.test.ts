import { describe, expect, it } from 'vitest';
import { longAudio } from '#contract/audio/transcriptions.ts';
import { grantCredits } from '#domain/billing/grants.ts';
import { services } from '#runtime/services/container.ts';
import { silence, wavFile } from '#test/audio/files.ts';
import { ended, newUpload, sendFile, transcribed, uploaded } from '#test/audio/long-audio.ts';
import { oggPage, webm } from '#test/audio/recordings.ts';
import { code, useTestService } from '#test/service/service.ts';

const service = useTestService();

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
    const { key } = await service.person();
    const refused = await service.call('POST', '/api/ai/uploads', { key, body });
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
  ])('for %s returns 400 free of charge, and deletes the file', async (_, bytes, type = 'audio/wav') => {
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
