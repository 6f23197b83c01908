import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { drawing } from '#test/many.ts';
import { type ScriptedService, useScriptedService, usage } from '#test/service/scripted-service.ts';

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

const draw = drawing();

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
  const failures: [string, () => void, number][] = [
    ['fails', fails(500, 500), 502],
    ['is too busy', fails(429, 429), 503],
    ['is throttled by SageMaker', fault('throttle'), 503],
    ['cannot be reached by SageMaker', fault('unavailable'), 503],
    ['loses its connection', fault('cut'), 502],
    ['returns an empty body', raw(''), 502],
    ['returns no JSON', raw('Internal Server Error'), 502],
    ['returns an error with status 200', fails(200, 500), 502],
    ['that returns something else', () => service.model.responds({ ok: true }), 502],
  ];
  it.each(draw(failures, 4))('costs nothing if the model %s', async (_, become, status) => {
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
