import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { adts, silence } from '#test/audio/files.ts';
import { ended, transcribed, uploaded } from '#test/audio/long-audio.ts';
import { webm } from '#test/audio/recordings.ts';
import { code, useTestService } from '#test/service/service.ts';

const service = useTestService();

let spoken: Buffer;

const text = 'Good morning, my friend. The river runs by the old stone house.';

beforeAll(async () => {
  const { key } = await service.person({ planRank: 4 });
  const { body } = await service.call('POST', '/api/ai/speech', { key, body: { text } });
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

  it('costs at least the duration of its bytes, regardless of its header', async () => {
    const { key } = await service.person({ planRank: 4 });
    const lying = Buffer.from(silence(600, 8000));
    lying.writeUInt32LE(8000, 40);
    const made = await transcribed(service, key, await uploaded(service, key, lying));
    expect(made.body.data.credits).toBeGreaterThanOrEqual(0.9);
  });
});

it('an uploaded recording whose header declares almost no audio is accepted', async () => {
  const { key } = await service.person({ planRank: 3, credits: 100 });
  const uploadId = await uploaded(service, key, webm({ seconds: 0, headerSeconds: 1e-250 }), 'audio/webm');
  expect(code(await transcribed(service, key, uploadId))).toBe('201 SUCCESS');
});

it('an uploaded recording is read once if the credits do not cover it, however often it is ordered', async () => {
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
