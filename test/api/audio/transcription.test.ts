import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { maxDirectAudioBytes } from '#contract/audio/transcription.ts';
import { silence } from '#test/audio/files.ts';
import { type ApiResponse, useTestService } from '#test/service/service.ts';

const service = useTestService();
let spoken: Record<'mp3' | 'wav', Buffer>;
let speaker: string;

const text = 'Good morning, my friend. The river runs by the old stone house.';

beforeAll(async () => {
  speaker = (await service.person({ planRank: 4 })).key;
  const speech = async (format: string) => {
    const { body } = await service.call('POST', '/api/ai/speech', { key: speaker, body: { text, format } });
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

async function used(key: string, field = 'audio'): Promise<number> {
  await service.settled();
  return (await service.call('GET', '/api/credits/me', { key })).body.data.used[field];
}

describe('POST /api/ai/transcribe', () => {
  it.each(['mp3', 'wav'] as const)('transcribes speech in %s, for 0.1 credits per started second', async (format) => {
    const { key } = await service.person();
    const type = { mp3: 'audio/mpeg', wav: 'audio/wav' }[format];
    const { status, body, headers } = await transcribe(key, form(spoken[format], type, { timestamps: 'word' }));
    expect([status, body.message]).toEqual([200, 'SUCCESS']);
    const { durationSeconds, segments, words, credits, ...rest } = body.data;
    expect(rest).toEqual({ text, language: 'en' });
    expect(segments.map((segment: { text: string }) => segment.text).join(' ')).toBe(text);
    expect(words.map(({ word }: { word: string }) => word)).toEqual(text.split(' '));
    expect(words.at(-1).end).toBeLessThanOrEqual(durationSeconds);
    expect(credits).toBeCloseTo(Math.ceil(durationSeconds) / 10, 6);
    expect(Number(headers.get('x-credits-charged'))).toBeCloseTo(credits, 6);
    expect(await used(key)).toBe(Math.ceil(credits));
  });

  it('accepts the file in base64, and returns timestamps only if requested', async () => {
    const { key } = await service.person();
    const body = { audio: spoken.mp3.toString('base64'), language: 'EN' };
    const { status, body: reply } = await service.call('POST', '/api/ai/transcribe', { key, body });
    expect([status, reply.data]).toEqual([200, expect.objectContaining({ text, segments: [], words: [] })]);
  });

  it('charges silence for exactly its seconds', async () => {
    const { key } = await service.person();
    const { body } = await transcribe(key, form(silence(61), 'audio/wav'));
    expect(body.data).toMatchObject({
      text: '[61 seconds of sound: the demo engine reads only its own speech]',
      durationSeconds: 61,
      credits: 6.1,
    });
    expect(await used(key)).toBe(7);
  });

  it('charges all seconds of a WAV whose header declares fewer', async () => {
    const { key } = await service.person();
    const wav = Buffer.from(spoken.wav);
    const at = wav.indexOf('data', 12, 'latin1') + 4;
    const seconds = wav.readUInt32LE(at) / 48_000;
    wav.writeUInt32LE(4000, at);
    const { body } = await transcribe(key, form(wav, 'audio/wav'));
    expect(body.data?.credits).toBeGreaterThanOrEqual(Math.ceil(seconds) / 10);
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
    const { key } = await service.person();
    const refusal = await transcribe(key, body());
    expect([refusal.status, refusal.body.detail]).toEqual([status, expect.stringMatching(detail)]);
    expect(await used(key)).toBe(0);
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
    expect(await used(key)).toBe(0);
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
    expect(await used(key)).toBe(0);
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
    expect(await used(key)).toBe(1);
  });
});

describe('POST /openai/v1/audio/transcriptions', () => {
  it('returns the text in each format to the OpenAI client', async () => {
    const { key } = await service.person({ planRank: 2 });
    const client = new OpenAI({ apiKey: key, baseURL: `${service.origin}/openai/v1`, maxRetries: 0 });
    const file = () => new File([new Uint8Array(spoken.mp3)], 'speech.mp3', { type: 'audio/mpeg' });
    const model = 'svc-transcribe';
    const { transcriptions } = client.audio;
    expect(await transcriptions.create({ file: file(), model })).toMatchObject({ text });
    const times = { timestamp_granularities: ['word' as const], temperature: 0.2 };
    const verbose = await transcriptions.create({ file: file(), model, response_format: 'verbose_json', ...times });
    expect(verbose).toMatchObject({ text, language: 'en', segments: [{ id: 0, start: 0 }, { id: 1 }] });
    expect(verbose.words).toHaveLength(text.split(' ').length);
    const plain: unknown = await transcriptions.create({ file: file(), model, response_format: 'text' });
    expect(plain).toBe(`${text}\n`);
    const srt: unknown = await transcriptions.create({ file: file(), model, response_format: 'srt' });
    expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:0\d,\d{3}\nGood morning, my friend\.\n\n2\n/);
    const vtt: unknown = await transcriptions.create({ file: file(), model, response_format: 'vtt' });
    expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:0\d\.\d{3}\nGood morning/);
    const wrong = transcriptions.create({ file: file(), model, temperature: 2 });
    await expect(wrong).rejects.toMatchObject({ status: 400, param: 'temperature' });
  });
});
