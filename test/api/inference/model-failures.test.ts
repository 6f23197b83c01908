import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { demoEngine } from '#local/demo-engine/engine.ts';
import { done } from '#test/models/scripted-model.ts';
import {
  contentOf,
  pieces,
  type ScriptedService,
  useScriptedService,
  textEnd,
  textPiece,
  tokensOf,
  usage,
} from '#test/service/scripted-service.ts';

const service = useScriptedService();

type PlainResponse = Awaited<ReturnType<ScriptedService['plain']>>;

async function chargedResponse(path: string, body: object): Promise<PlainResponse & { cost: number }> {
  let response: PlainResponse | undefined;
  const cost = await service.charged(async () => {
    response = await service.plain(path, body);
  });
  return { ...response!, cost };
}

const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hi' }] };
const completion = { model: 'svc-1', prompt: 'Say it' };
const kinds = [
  ['a chat', '/v1/chat/completions', chat],
  ['a streamed chat', '/v1/chat/completions', { ...chat, stream: true }],
  ['a completion', '/v1/completions', completion],
  ['a streamed completion', '/v1/completions', { ...completion, stream: true }],
  ['embeddings', '/v1/embeddings', { model: 'svc-embed', input: 'a text' }],
] as const;

describe.each(kinds)('%s', (_, path, body) => {
  const raw = (text: string) => () => service.model.streams([text]);
  const fails = (status: number, code: number) => () =>
    service.model.responds({ error: { message: 'CUDA', code } }, status);
  const fault = (name: 'throttle' | 'unavailable' | 'cut') => () => {
    service.model.responds({});
    // Twice, because a reused connection that breaks is replaced once.
    service.model.faults.order({ target: 'sagemaker', fault: name, count: 2 });
  };
  afterEach(() => service.model.faults.order({ target: 'sagemaker', fault: 'none', count: 1 }));
  it.each([
    ['fails', fails(500, 500), 502],
    ['is too busy', fails(429, 429), 503],
    ['is throttled by SageMaker', fault('throttle'), 503],
    ['cannot be reached by SageMaker', fault('unavailable'), 503],
    ['loses its connection', fault('cut'), 502],
    ['returns an empty body', raw(''), 502],
    ['returns no JSON', raw('Internal Server Error'), 502],
    ['returns an error with status 200', fails(200, 500), 502],
    ['that returns something else', () => service.model.responds({ ok: true }), 502],
  ])('costs nothing if the model %s', async (_, become, status) => {
    become();
    const response = await chargedResponse(path, body);
    expect(response).toMatchObject({ status, body: { error: true, data: null, status } });
    expect([response.headers.get('x-credits-charged'), response.cost]).toEqual(['0', 0]);
    expect(response.headers.has('x-credits-held')).toBe(false);
    expect(response.body.detail.endsWith(' You were not charged.')).toBe(status !== 503);
    expect(Number(response.headers.get('retry-after')) > 0).toBe(status === 503);
  });
});

it('a model that hangs is aborted, and costs nothing', async () => {
  service.model.responds({});
  service.model.faults.order({ target: 'sagemaker', fault: 'hang', count: kinds.length });
  const cost = await service.charged(async () => {
    const responses = await Promise.all(kinds.map(([, path, body]) => service.plain(path, body)));
    expect(responses.map(({ status, body }) => [status, body.message])).toEqual(
      kinds.map(() => [504, 'MODEL_TIMEOUT']),
    );
  });
  expect(cost).toBe(0);
});

it('an unstreamed call is charged after a client disconnect, and its hold is released', async () => {
  const gone = Promise.withResolvers<void>();
  const reply = { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }], usage };
  service.model.becomes({ invoke: () => gone.promise.then(() => ({ kind: 'json', status: 200, body: reply })) });
  const invocations = service.model.invocations();
  const cost = await service.charged(async () => {
    const leaving = new AbortController();
    const response = service.open('/v1/chat/completions', chat, leaving.signal);
    await expect.poll(() => service.model.invocations()).toBe(invocations + 1);
    leaving.abort();
    await expect(response).rejects.toMatchObject({ name: 'AbortError' });
    await sleep(50);
    gone.resolve();
  });
  expect(cost).toBe(1_000_000);
});

describe('usage reported by a model', () => {
  const text = pieces.join('');
  const ours = async () => (await tokensOf('Say it')) + (await tokensOf(text));
  const held = 'Say it'.length + 40;
  const usageOf = (promptTokens: unknown, completionTokens: unknown) => ({
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
  });
  const cases: [string, unknown, () => Promise<number>][] = [
    ['is charged', usageOf(5, 6), async () => 11],
    ['is replaced by our count if missing', undefined, ours],
    ['is replaced by our count if it is 9e15', usageOf(9e15, 9e15), ours],
    ['is replaced by our count if it exceeds the requested output', usageOf(5, 41), ours],
    ['is charged if it equals the requested output', usageOf(5, 40), async () => 45],
    ['is replaced by our count if it exceeds the prompt', usageOf(1000, 6), ours],
    ['is charged up to the hold if it is a little more', usageOf(10, 40), async () => held],
  ];

  it.each(cases)('%s', async (_, reported, expected) => {
    const request = { ...completion, max_tokens: 40 };
    const tokens = await expected();
    service.model.responds({ choices: [{ text, finish_reason: 'stop' }], usage: reported });
    const { status, headers, cost } = await chargedResponse('/v1/completions', request);
    expect([status, headers.get('x-credits-charged'), cost]).toEqual([200, String(tokens / 1000), tokens * 1000]);
    expect(Number(headers.get('x-credits-remaining'))).toBeGreaterThan(0);

    service.model.streams([...pieces.map(textPiece), textEnd, { choices: [], usage: reported }, done]);
    const work = () => service.streamed('/v1/completions', { ...request, stream: true });
    expect(await service.charged(work)).toBe(tokens * 1000);
  });

  it('is replaced by our own count if it is missing for embeddings', async () => {
    service.model.becomes(demoEngine({ wordDelayMs: 0 }));
    const input = Array.from({ length: 40 }, (_, index) => `text ${index}`);
    const { cost } = await chargedResponse('/v1/embeddings', { model: 'svc-embed', input });
    const counts = await Promise.all(input.map(tokensOf));
    expect(cost).toBe(counts.reduce((sum, count) => sum + count, 0) * 100);
  });
});

describe('a model in a container of another family', () => {
  it.each(['svc-1', 'svc-code', 'svc-instruct'])('returns the response of the default family: %s', async (model) => {
    service.model.becomes(demoEngine({ wordDelayMs: 0 }));
    const messages = [{ role: 'user', content: 'Tell me of rivers' }];
    const stopped = { model, messages, max_tokens: 40, stop: ['rivers'] };
    const { body } = await service.plain('/v1/chat/completions', stopped);
    const { message, finish_reason } = body.data.choices[0];
    expect([message.content, finish_reason]).toEqual([expect.stringMatching(/: “Tell me of $/), 'stop']);
    const { envelopes } = await service.streamed('/v1/chat/completions', { ...stopped, stream: true });
    expect(contentOf(envelopes)).toBe(message.content);
    expect(envelopes.at(-1)).toMatchObject({ message: 'STREAM_COMPLETE' });
    const prompt = { model, prompt: 'Once upon a time', max_tokens: 12, top_p: 0, temperature: 0 };
    const carried = await service.plain('/v1/completions', prompt);
    expect(carried.body.data).toMatchObject({
      choices: [{ finish_reason: 'length' }],
      usage: { prompt_tokens: 4, completion_tokens: 12 },
    });
    expect(carried.headers.get('x-credits-charged')).toBe('0.016');
  });
});
