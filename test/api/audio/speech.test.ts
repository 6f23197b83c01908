import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { audioDuration } from '#gateways/audio/audio-facts.ts';
import { apiRequest } from '#test/service/api-request.ts';
import { code, useTestService } from '#test/service/service.ts';

const service = useTestService();

const text = 'Good morning, my friend! How are you?';
const speak = (key: string, body: unknown = { text }) => service.call('POST', '/api/ai/speech', { key, body });

/** Calls a route with an audio Accept header, and returns the response with its bytes. */
async function bytesOf(path: string, key: string, body: unknown, accept = 'audio/*') {
  const init = apiRequest('POST', { key, body });
  const headers = new Headers(init.headers);
  headers.set('accept', accept);
  const response = await fetch(service.origin + path, { ...init, headers });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

const usedAudio = async (key: string) => {
  await service.settled();
  return (await service.call('GET', '/api/credits/me', { key })).body.data.used.audio;
};

describe('POST /api/ai/speech', () => {
  it('returns base64 audio and its format, for 50 credits per started 1,000 characters', async () => {
    const { key } = await service.person({ planRank: 2 });
    const { status, body, headers } = await speak(key);
    expect([status, body.message]).toEqual([200, 'SUCCESS']);
    const { audio, durationSeconds, ...rest } = body.data;
    expect(rest).toEqual({ contentType: 'audio/mpeg', characters: 37, credits: 50 });
    expect(durationSeconds).toBeGreaterThan(1);
    expect(await audioDuration(Buffer.from(audio, 'base64'), 'mp3')).toBeCloseTo(durationSeconds, 2);
    expect(headers.get('x-credits-charged')).toBe('50');
    const longer = await speak(key, { text: `${'A word. '.repeat(125)}😀`, voice: 'onyx', format: 'pcm', speed: 4 });
    expect(longer.body.data).toMatchObject({ characters: 1001, credits: 100, contentType: 'audio/pcm' });
    expect(await usedAudio(key)).toBe(150);
  });

  it('returns raw audio with a correct header if the client accepts it, for the same price', async () => {
    const { key } = await service.person({ planRank: 2 });
    const { response, bytes } = await bytesOf('/api/ai/speech', key, { text, format: 'wav' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    expect(response.headers.get('x-credits-held')).toBe('50');
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    const dataBytes = bytes.readUInt32LE(40);
    expect(await audioDuration(bytes, 'wav')).toBeCloseTo(dataBytes / 48_000, 3);
    expect(bytes.toString('latin1', 44 + dataBytes, 48 + dataBytes)).toBe('note');
    expect(await usedAudio(key)).toBe(50);
  });

  it('lists its voices only to confirmed accounts', async () => {
    const { cookie } = await service.registered();
    expect(code(await service.call('GET', '/api/ai/voices', { cookie }))).toBe('403 ACCOUNT_NOT_CONFIRMED');
  });

  it('speaks in the requested voice and at the requested speed', async () => {
    const { key } = await service.person({ planRank: 4 });
    const { body } = await service.call('GET', '/api/ai/voices', { key });
    const ids = body.data.items.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(expect.arrayContaining(['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer']));
    const pcm = async (order: object) =>
      (await bytesOf('/api/ai/speech', key, { text: 'Good day.', format: 'pcm', ...order })).bytes;
    const [alloy, onyx] = [await pcm({ voice: 'alloy' }), await pcm({ voice: 'onyx' })];
    expect(alloy.equals(onyx)).toBe(false);
    const [slow, fast] = [await pcm({ speed: 0.5 }), await pcm({ speed: 2 })];
    expect(slow.length / fast.length).toBeGreaterThan(3);
  });

  it.each([
    ['no text', {}, /^text is required\.$/],
    ['an empty text', { text: '' }, /^text must not be empty\.$/],
    ['a long text', { text: 'a'.repeat(4097) }, /^text must have at most 4096 characters\.$/],
    ['an unknown voice', { text, voice: 'nobody' }, /^voice must be one of alloy, echo, fable, onyx, nova, shimmer\.$/],
    ['an unknown format', { text, format: 'mid' }, /^format must be one of mp3, opus, aac, flac, wav, pcm\.$/],
    ['a speed', { text, speed: 4.1 }, /^speed must be at most 4\.$/],
    ['a model that does not speak', { text, model: 'svc-1' }, /^model must name a model for speech: svc-speech\.$/],
    [
      'a format that the model has not',
      { text, format: 'opus' },
      /cannot speak this text with the voice alloy as opus\. /,
    ],
    ['a language that the model has not', { text: '你好' }, /cannot speak this text/],
  ])('returns 400 with a detail for %s, without a charge', async (_, body, detail) => {
    const { key } = await service.person();
    const refused = await speak(key, body);
    expect([refused.status, refused.body.message]).toEqual([400, 'INVALID_FORMAT']);
    expect(refused.body.detail).toMatch(detail);
    const raw = await bytesOf('/api/ai/speech', key, body);
    expect([raw.response.status, raw.response.headers.get('content-type')]).toEqual([
      400,
      'application/json; charset=utf-8',
    ]);
    expect(await usedAudio(key)).toBe(0);
  });

  it('refuses audio too large for an envelope free of charge, and suggests the raw format', async () => {
    const { key } = await service.person({ planRank: 3 });
    const long = { text: 'A river runs by the old stone house. '.repeat(40), format: 'wav', speed: 0.7 };
    const refused = await speak(key, long);
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('Accept: audio/*')]);
    expect(await usedAudio(key)).toBe(0);
  });

  it('charges nothing if the model fails before its first byte, and closes the connection if it breaks off later', async () => {
    const { key } = await service.person({ planRank: 2 });
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error', count: 1 });
    const failed = await bytesOf('/api/ai/speech', key, { text });
    expect([failed.response.status, JSON.parse(failed.bytes.toString()).message]).toEqual([502, 'MODEL_ERROR']);
    expect(await usedAudio(key)).toBe(0);
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'cut', count: 1 });
    const many = { text: 'One more sentence is here. '.repeat(10), format: 'pcm' };
    await expect(bytesOf('/api/ai/speech', key, many)).rejects.toThrow(TypeError);
    expect(await usedAudio(key)).toBe(50);
  });
});

describe('POST /openai/v1/audio/speech', () => {
  it('returns the file in the requested format to the OpenAI client', async () => {
    const { key } = await service.person({ planRank: 2 });
    const client = new OpenAI({ apiKey: key, baseURL: `${service.origin}/openai/v1`, maxRetries: 0 });
    const speech = await client.audio.speech.create({ model: 'svc-speech', input: text, voice: 'nova' });
    expect(speech.headers.get('content-type')).toBe('audio/mpeg');
    expect(await audioDuration(Buffer.from(await speech.arrayBuffer()), 'mp3')).toBeGreaterThan(1);
    expect(await usedAudio(key)).toBe(50);
    const wrong = client.audio.speech.create({ model: 'svc-speech', input: text, voice: 'nobody' });
    await expect(wrong).rejects.toMatchObject({ status: 400, param: 'voice' });
    const events = { model: 'svc-speech', input: text, voice: 'nova', stream_format: 'sse' } as const;
    await expect(client.audio.speech.create(events)).rejects.toMatchObject({ status: 400, param: 'stream_format' });
  });
});
