import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { maxDirectAudioBytes } from '#contract/audio/transcription.ts';
import { audioDuration } from '#gateways/audio/audio-facts.ts';
import { silence } from '#test/audio/files.ts';
import { apiRequest } from '#test/service/api-request.ts';
import { type ApiResponse, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const refused = usePerson(service);

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
    const response = await speak(refused.key, body);
    expect([response.status, response.body.message]).toEqual([400, 'INVALID_FORMAT']);
    expect(response.body.detail).toMatch(detail);
    const raw = await bytesOf('/api/ai/speech', refused.key, body);
    expect([raw.response.status, raw.response.headers.get('content-type')]).toEqual([
      400,
      'application/json; charset=utf-8',
    ]);
    expect(await usedAudio(refused.key)).toBe(0);
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

let spoken: Record<'mp3' | 'wav', Buffer>;
let speaker: string;

const said = 'Good morning, my friend. The river runs by the old stone house.';

beforeAll(async () => {
  speaker = (await service.person({ planRank: 4 })).key;
  const speech = async (format: string) => {
    const { body } = await service.call('POST', '/api/ai/speech', { key: speaker, body: { text: said, format } });
    return Buffer.from(body.data.audio, 'base64');
  };
  spoken = { mp3: await speech('mp3'), wav: await speech('wav') };
});

/** Sends a form as clients do, or a body of bytes unchanged. */
async function send(path: string, key: string, body: FormData | Buffer, headers = {}): Promise<ApiResponse> {
  const sent = body instanceof FormData ? body : new Uint8Array(body);
  const init = { method: 'POST', body: sent, headers: { authorization: `Bearer ${key}`, ...headers } };
  const reply = await fetch(service.origin + path, init);
  return { status: reply.status, headers: reply.headers, body: JSON.parse(await reply.text()) };
}

function form(bytes: Buffer, type: string, fields: Readonly<Record<string, string>> = {}, name = 'a.mp3'): FormData {
  const made = new FormData();
  for (const [field, value] of Object.entries(fields)) made.append(field, value);
  made.append('file', new Blob([new Uint8Array(bytes)], { type }), name);
  return made;
}

const transcribe = (key: string, body: FormData) => send('/api/ai/transcribe', key, body);

describe('POST /api/ai/transcribe', () => {
  it.each(['mp3', 'wav'] as const)('transcribes speech in %s, for 0.1 credits per started second', async (format) => {
    const { key } = await service.person();
    const type = { mp3: 'audio/mpeg', wav: 'audio/wav' }[format];
    const { status, body, headers } = await transcribe(key, form(spoken[format], type, { timestamps: 'word' }));
    expect([status, body.message]).toEqual([200, 'SUCCESS']);
    const { durationSeconds, segments, words, credits, ...rest } = body.data;
    expect(rest).toEqual({ text: said, language: 'en' });
    expect(segments.map((segment: { text: string }) => segment.text).join(' ')).toBe(said);
    expect(words.map(({ word }: { word: string }) => word)).toEqual(said.split(' '));
    expect(words.at(-1).end).toBeLessThanOrEqual(durationSeconds);
    expect(credits).toBeCloseTo(Math.ceil(durationSeconds) / 10, 6);
    expect(Number(headers.get('x-credits-charged'))).toBeCloseTo(credits, 6);
    expect(await usedAudio(key)).toBe(Math.ceil(credits));
  });

  it('accepts the file in base64, and returns timestamps only if requested', async () => {
    const { key } = await service.person();
    const body = { audio: spoken.mp3.toString('base64'), language: 'EN' };
    const { status, body: reply } = await service.call('POST', '/api/ai/transcribe', { key, body });
    expect([status, reply.data]).toEqual([200, expect.objectContaining({ text: said, segments: [], words: [] })]);
  });

  it('charges silence for exactly its seconds', async () => {
    const { key } = await service.person();
    const { body } = await transcribe(key, form(silence(61), 'audio/wav'));
    expect(body.data).toMatchObject({
      text: '[61 seconds of sound: the demo engine reads only its own speech]',
      durationSeconds: 61,
      credits: 6.1,
    });
    expect(await usedAudio(key)).toBe(7);
  });

  it('returns 402 unless the credits cover the known seconds', async () => {
    const { key } = await service.person({ credits: 6 });
    expect((await transcribe(key, form(silence(61), 'audio/wav'))).status).toBe(402);
    expect((await transcribe(key, form(silence(60), 'audio/wav'))).status).toBe(200);
  });

  const mp3 = (fields = {}) => form(spoken.mp3, 'audio/mpeg', fields);
  function twoFiles(): FormData {
    const made = mp3();
    made.append('file', new Blob(['x']), 'other.mp3');
    return made;
  }
  function noFile(): FormData {
    const made = new FormData();
    made.append('language', 'en');
    return made;
  }
  const picture = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const noAudio = /not in a supported audio format/;
  const tooLarge = /^The audio may .* 4194304 bytes\. .* by POST \/api\/ai\/uploads\.$/;

  it.each<[what: string, body: () => FormData, status: number, detail: RegExp]>([
    ['that is not audio', () => form(Buffer.from('no audio at all'), 'audio/mpeg'), 400, noAudio],
    ['that is empty', () => form(Buffer.alloc(0), 'audio/mpeg'), 400, noAudio],
    ['that is an image', () => form(picture, 'audio/mpeg'), 400, noAudio],
    [
      'of another format',
      () => form(spoken.wav, 'audio/flac'),
      400,
      /is audio\/wav, which differs from its Content-Type/,
    ],
    ['that is missing', noFile, 400, /^file is required\.$/],
    ['that is sent twice', twoFiles, 400, /one file/],
    ['in an unknown language', () => mp3({ language: 'zz' }), 400, /^language must be/],
    ['with unknown timestamps', () => mp3({ timestamps: 'all' }), 400, /^timestamps must be/],
    [
      'far above the size limit',
      () => form(Buffer.alloc(1.5 * maxDirectAudioBytes), 'audio/wav'),
      413,
      /^The body may .* by POST/,
    ],
    ['a byte above the size limit', () => form(Buffer.alloc(maxDirectAudioBytes + 1), 'audio/wav'), 413, tooLarge],
  ])('explains its refusal of a file %s, and charges nothing', async (_, body, status, detail) => {
    const refusal = await transcribe(refused.key, body());
    expect([refusal.status, refusal.body.detail]).toEqual([status, expect.stringMatching(detail)]);
    expect(await usedAudio(refused.key)).toBe(0);
  });

  it('returns 400 for an incomplete form, 401 for an invalid key, and 415 for another media type', async () => {
    const { key } = await service.person();
    const cut = Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\nabc');
    const path = '/api/ai/transcribe';
    const type = { 'content-type': 'multipart/form-data; boundary=b' };
    const bare = { 'content-type': 'multipart/form-data' };
    const [unfinished, unbounded] = [await send(path, key, cut, type), await send(path, key, cut, bare)];
    expect(unfinished.body).toMatchObject({ status: 400, detail: expect.stringMatching(/complete form/) });
    expect(unbounded.body).toMatchObject({ status: 400, detail: expect.stringMatching(/boundary/) });
    expect((await send(path, `${key}x`, cut, type)).status).toBe(401);
    const plain = { 'content-type': 'text/plain' };
    const refusal = await send(path, key, cut, plain);
    expect([refusal.status, refusal.body.detail]).toEqual([
      415,
      expect.stringContaining('multipart/form-data or application/json'),
    ]);
    expect(await usedAudio(key)).toBe(0);
  });

  it('charges nothing if the model fails', async () => {
    const { key } = await service.person();
    for (const [fault, status] of [
      ['error', 502],
      ['unavailable', 503],
    ] as const) {
      await service.post('/_local/faults', { target: 'sagemaker', fault, count: 1 });
      expect((await transcribe(key, form(spoken.mp3, 'audio/mpeg'))).status).toBe(status);
    }
    expect(await usedAudio(key)).toBe(0);
  });

  it('accepts a file name with folders, and runs once with an Idempotency-Key', async () => {
    const { key } = await service.person();
    const headers = { 'idempotency-key': 'once' };
    const path = '/api/ai/transcribe';
    const once = () => send(path, key, form(spoken.mp3, 'audio/mpeg', {}, '../../etc/passwd.mp3'), headers);
    const first = await once();
    const again = await once();
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true']);
    expect(again.body).toEqual(first.body);
    expect(await usedAudio(key)).toBe(1);
  });
});
