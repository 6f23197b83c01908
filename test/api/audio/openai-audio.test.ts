import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTestService } from '#test/service/service.ts';

const service = useTestService();

const said = 'Good morning, my friend. The river runs by the old stone house.';
const model = 'svc-transcribe';
let recording: File;

beforeAll(async () => {
  const { key } = await service.person({ planRank: 4 });
  const { body } = await service.call('POST', '/api/ai/speech', { key, body: { text: said } });
  recording = new File([Buffer.from(body.data.audio, 'base64')], 'speech.mp3', { type: 'audio/mpeg' });
});

async function openClient() {
  const { key } = await service.person({ planRank: 2 });
  const { transcriptions, translations } = new OpenAI({
    apiKey: key,
    baseURL: `${service.origin}/openai/v1`,
    maxRetries: 0,
  }).audio;
  const used = async () => {
    await service.settled();
    return (await service.call('GET', '/api/credits/me', { key })).body.data.used.audio;
  };
  return { key, used, transcriptions, translations };
}

describe('POST /openai/v1/audio/transcriptions', () => {
  it('returns the text in each format to the OpenAI client', async () => {
    const { transcriptions } = await openClient();
    const file = recording;
    expect(await transcriptions.create({ file, model })).toMatchObject({ text: said });
    const times = { timestamp_granularities: ['word' as const], temperature: 0.2 };
    const verbose = await transcriptions.create({ file, model, response_format: 'verbose_json', ...times });
    expect(verbose).toMatchObject({ text: said, language: 'en', segments: [{ id: 0, start: 0 }, { id: 1 }] });
    expect(verbose.words).toHaveLength(said.split(' ').length);
    const plain: unknown = await transcriptions.create({ file, model, response_format: 'text' });
    expect(plain).toBe(`${said}\n`);
    const srt: unknown = await transcriptions.create({ file, model, response_format: 'srt' });
    expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:0\d,\d{3}\nGood morning, my friend\.\n\n2\n/);
    const vtt: unknown = await transcriptions.create({ file, model, response_format: 'vtt' });
    expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:0\d\.\d{3}\nGood morning/);
    const wrong = transcriptions.create({ file, model, temperature: 2 });
    await expect(wrong).rejects.toMatchObject({ status: 400, param: 'temperature' });
    const probable = transcriptions.create({ file, model, include: ['logprobs'] });
    await expect(probable).rejects.toMatchObject({ status: 400, param: 'include[]' });
  });

  it('streams the text by segment to the OpenAI client, for the same price', async () => {
    const { transcriptions, used } = await openClient();
    const events = [];
    for await (const event of await transcriptions.create({ file: recording, model, stream: true })) events.push(event);
    const deltas = events.flatMap((event) => (event.type === 'transcript.text.delta' ? event.delta : []));
    expect(deltas).toEqual(['Good morning, my friend.', ' The river runs by the old stone house.']);
    const usage = { type: 'duration', seconds: expect.any(Number) };
    expect(events.at(-1)).toEqual({ type: 'transcript.text.done', text: said, usage });
    expect(await used()).toBe(1);
  });

  it('refuses to stream formats with times, and reports a failed model before the stream begins', async () => {
    const { transcriptions, used } = await openClient();
    const streamed = { file: recording, model, stream: true } as const;
    for (const format of ['srt', 'vtt', 'verbose_json'] as const) {
      const timed = transcriptions.create({ ...streamed, response_format: format });
      await expect(timed).rejects.toMatchObject({ status: 400, param: 'stream' });
    }
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error', count: 1 });
    await expect(transcriptions.create(streamed)).rejects.toMatchObject({ status: 502 });
    expect(await used()).toBe(0);
  });
});

describe('POST /openai/v1/audio/translations', () => {
  it('returns English text in each format to the OpenAI client, for the price of a transcription', async () => {
    const { translations, used } = await openClient();
    const body = { file: recording, model };
    expect(await translations.create(body)).toMatchObject({ text: said });
    expect(await used()).toBe(1);
    const verbose = await translations.create({ ...body, response_format: 'verbose_json' });
    const english = { task: 'translate', language: 'english', text: said, segments: [{ id: 0 }, { id: 1 }] };
    expect(verbose).toMatchObject(english);
    expect(await translations.create({ ...body, response_format: 'text' })).toBe(`${said}\n`);
    expect(await translations.create({ ...body, response_format: 'srt' })).toMatch(/^1\n00:00:00,000 --> /);
    expect(await translations.create({ ...body, response_format: 'vtt' })).toMatch(/^WEBVTT\n\n/);
  });

  it.each([
    ['timestamp_granularities[]', 'word'],
    ['stream', 'true'],
  ])('refuses %s=%s by name', async (field, value) => {
    const { key } = await openClient();
    const form = new FormData();
    form.append('file', recording);
    form.append(field, value);
    const headers = { authorization: `Bearer ${key}` };
    const path = `${service.origin}/openai/v1/audio/translations`;
    const response = await fetch(path, { method: 'POST', headers, body: form });
    const error = {
      param: expect.stringContaining(field.slice(0, 6)),
      message: expect.stringContaining('translations'),
    };
    expect([response.status, await response.json()]).toMatchObject([400, { error }]);
  });
});
