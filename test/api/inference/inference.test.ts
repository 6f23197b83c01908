import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { chat, type Person, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService({ environment: { MODEL_DEADLINE_MS: '4000' } });
const refused = usePerson(service);

const complete = (key: string, body: unknown = chat()) => service.call('POST', '/v1/chat/completions', { key, body });

describe('POST /v1/chat/completions', () => {
  it('returns the completion object in the envelope, with its cost', async () => {
    const { key } = await service.person();
    const { status, body, headers } = await complete(key);
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(['data', 'error', 'message', 'status']);
    expect(body).toMatchObject({ message: 'SUCCESS', error: false, status: 200 });
    expect(body.data).toEqual({
      id: expect.stringMatching(/^chatcmpl-\w+$/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'svc-1',
      choices: [
        { index: 0, message: { role: 'assistant', content: expect.stringMatching(/demo/i) }, finish_reason: 'stop' },
      ],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
      },
    });
    expect(body.data.usage.total_tokens).toBe(body.data.usage.prompt_tokens + body.data.usage.completion_tokens);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-request-id': expect.stringMatching(/^\w+$/),
      'x-credits-charged': '1',
      'x-credits-remaining': '99',
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '9',
      'ratelimit-policy': '"minute";q=10;w=60',
      'cache-control': 'no-store',
    });
  });

  it('calls the requested function, and accepts its result in the next request', async () => {
    const { key } = await service.person();
    const weather = {
      name: 'get_weather',
      description: 'Current weather of a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    };
    const messages = [{ role: 'user', content: 'What is the weather in Paris?' }];
    const first = await complete(key, {
      model: 'svc-1',
      messages,
      functions: [weather],
      function_call: { name: 'get_weather' },
    });
    const [choice] = first.body.data.choices;
    expect(choice).toMatchObject({
      finish_reason: 'function_call',
      message: { content: '', function_call: { name: 'get_weather' } },
    });
    expect(JSON.parse(choice.message.function_call.arguments)).toMatchObject({ city: expect.any(String) });
    const result = { role: 'function', name: 'get_weather', content: '{"temperature": 21}' };
    const continued = await complete(key, {
      model: 'svc-1',
      messages: [...messages, choice.message, result],
      functions: [weather],
    });
    expect(continued.body.data.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: expect.stringContaining('21') },
    });
  });

  it('serves exactly 50 of 200 parallel calls on 50 credits and charges exactly 50', async () => {
    const { key, id } = await service.person({ planRank: 4, credits: 50 });
    const responses = await Promise.all(Array.from({ length: 200 }, () => complete(key)));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(50);
    expect(statuses.filter((status) => ![200, 402, 429].includes(status))).toEqual([]);
    const balance = await service.call('GET', '/api/credits/me', { key });
    expect(balance.status).toBe(200);
    expect(await services().metering().find(id)).toMatchObject({
      spendable: 0,
      holds: new Map(),
      used: { chat: 50_000_000 },
    });
  });

  it('refuses the eleventh call of a free minute with an accurate Retry-After', async () => {
    const { key } = await service.person();
    for (let call = 0; call < 10; call++) expect((await complete(key)).status).toBe(200);
    const { status, body, headers } = await complete(key);
    expect([status, body.message]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    const wait = Number(headers.get('retry-after'));
    expect(wait).toBeGreaterThan(50);
    expect(wait).toBeLessThanOrEqual(63);
    await service.post('/_local/clock', { advance: `PT${wait}S` });
    expect((await complete(key)).status).toBe(200);
  });

  it('reports prompt and context size for a prompt above the context, and limits the default output to the remaining tokens', async () => {
    const { key } = await service.person();
    const { status, body } = await complete(key, { ...chat('word '.repeat(4000)), max_tokens: 200 });
    expect([status, body.message]).toEqual([400, 'CONTEXT_LENGTH_EXCEEDED']);
    expect(body.detail).toMatch(/^context_length_exceeded: .*4096.*4\d\d\d/);
    expect((await complete(key, chat('word '.repeat(4000)))).status).toBe(200);
  });

  it('charges once if a reused connection to the model breaks before the first byte', async () => {
    const { key, id } = await service.person({ planRank: 2, credits: 10 });
    await complete(key);
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'cut' });
    expect((await complete(key)).status).toBe(200);
    expect(await services().metering().find(id)).toMatchObject({ spendable: 8_000_000, holds: new Map() });
  });
});

const post = (person: Person, path: string, body: unknown) => service.call('POST', path, { key: person.key, body });
const meterOf = async (person: Person) => (await services().metering().find(person.id))!;

interface Streamed {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly events: any[];
}

async function stream(person: Person, path: string, body: object): Promise<Streamed> {
  const reply = await service.open(path, person.key, { ...body, stream: true });
  const text = await reply.text();
  const events = text
    .split('\n\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line.replace(/^data: /, '')));
  return { status: reply.status, headers: reply.headers, text, events };
}

const prompt = { model: 'svc-instruct', prompt: 'Once upon a time there was a river' };

describe('a streamed chat', () => {
  it('sends envelopes of chunks with deltas, the last with reason and usage, then STREAM_COMPLETE', async () => {
    const person = await service.person({ planRank: 2 });
    const { status, headers, text, events } = await stream(person, '/v1/chat/completions', chat('Tell me of rivers'));
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(headers.get('x-credits-held')).toBe('1');
    expect(text).toMatch(/^(data: \{.*\}\n\n)+$/);
    const last = events.pop();
    expect(last).toEqual({ message: 'STREAM_COMPLETE', error: false, data: null, status: 200 });
    expect(events.every(({ message, error, status }) => message === 'STREAM_CHUNK' && !error && status === 200)).toBe(
      true,
    );
    const chunks = events.map(({ data }) => data);
    expect(chunks[0]).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model: 'svc-1',
      choices: [{ index: 0, delta: { role: 'assistant', content: expect.any(String) }, finish_reason: null }],
    });
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ delta: {}, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
      },
    });
    const streamed = chunks.map(({ choices }) => choices[0].delta.content ?? '').join('');
    const plain = await post(person, '/v1/chat/completions', chat('Tell me of rivers'));
    expect(streamed).toBe(plain.body.data.choices[0].message.content);
    expect(await meterOf(person)).toMatchObject({ used: { chat: 2_000_000 }, holds: new Map() });
  });
});

describe('POST /v1/completions', () => {
  it('returns the completion object and charges each token', async () => {
    const person = await service.person();
    const { status, body, headers } = await post(person, '/v1/completions', { ...prompt, max_tokens: 20 });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^cmpl-/),
      object: 'text_completion',
      created: expect.any(Number),
      model: 'svc-instruct',
      choices: [{ text: expect.any(String), index: 0, logprobs: null, finish_reason: 'length' }],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: 20, total_tokens: expect.any(Number) },
    });
    const tokens = body.data.usage.total_tokens;
    expect(Number(headers.get('x-credits-charged'))).toBe(tokens / 1000);
    expect((await meterOf(person)).spendable).toBe(100_000_000 - tokens * 1000);
  });

  it.each([
    [{ prompt: 'x' }, /^model is required/],
    [{ model: 'svc-1' }, /^prompt is required/],
    [{ model: 'svc-1', prompt: '' }, /^prompt must not be empty/],
    [{ model: 'svc-1', prompt: ['x'] }, /^prompt must be a string/],
    [{ ...prompt, max_tokens: 0 }, /^max_tokens must be positive/],
    [{ model: 'svc-embed', prompt: 'x' }, /^model must name/],
  ])('refuses %j', async (body, detail) => {
    const response = await post(refused, '/v1/completions', body);
    expect([response.status, response.body.message]).toEqual([400, 'INVALID_FORMAT']);
    expect(response.body.detail).toMatch(detail);
  });
});

describe('POST /v1/embeddings', () => {
  const embed = (person: Person, body: object) => post(person, '/v1/embeddings', { model: 'svc-embed', ...body });
  const cosine = (one: number[], other: number[]) => {
    const dot = one.reduce((sum, value, index) => sum + value * other[index]!, 0);
    return dot / (Math.hypot(...one) * Math.hypot(...other));
  };

  it('returns one vector per text in order, equal for equal texts and near for similar ones', async () => {
    const person = await service.person();
    const input = ['the cat sat on the mat', 'a cat sits on a mat', 'quarterly tax report', 'the cat sat on the mat'];
    const { body, headers } = await embed(person, { input });
    expect(body.data).toMatchObject({ object: 'list', model: 'svc-embed' });
    expect(body.data.data.map(({ object, index }: Record<string, unknown>) => [object, index])).toEqual(
      input.map((_, index) => ['embedding', index]),
    );
    const [first, near, far, same] = body.data.data.map(({ embedding }: { embedding: number[] }) => embedding);
    expect(first).toHaveLength(1536);
    expect(same).toEqual(first);
    expect(cosine(first, near)).toBeGreaterThan(cosine(first, far));
    expect(body.data.usage.total_tokens).toBe(body.data.usage.prompt_tokens);
    expect(Number(headers.get('x-credits-charged'))).toBe(body.data.usage.prompt_tokens / 10_000);
    expect((await meterOf(person)).spendable).toBe(100_000_000 - body.data.usage.prompt_tokens * 100);
  });

  it.each([
    [{}, '400 INVALID_FORMAT'],
    [{ input: '' }, '400 INVALID_FORMAT'],
    [{ input: [] }, '400 INVALID_FORMAT'],
    [{ input: ['a', ''] }, '400 INVALID_FORMAT'],
    [{ input: [1] }, '400 INVALID_FORMAT'],
    [{ input: 5 }, '400 INVALID_FORMAT'],
    [{ input: Array.from({ length: 101 }, () => 'a') }, '400 INVALID_FORMAT'],
    [{ input: 'a', encoding_format: 'hex' }, '400 INVALID_FORMAT'],
    [{ input: 'a', dimensions: 0 }, '400 INVALID_FORMAT'],
    [{ input: 'word '.repeat(9000) }, '400 CONTEXT_LENGTH_EXCEEDED'],
  ])('responds to %j with %s', async (body, expected) => {
    const { status, body: response } = await embed(refused, body);
    expect(`${status} ${response.message}`).toBe(expected);
  });

  it('accepts 100 long texts in a body over 1 MB', async () => {
    const person = await service.person({ planRank: 4 });
    const input = Array.from({ length: 100 }, (_, index) => `text ${index} `.repeat(1500));
    const { status, body } = await embed(person, { input });
    expect([status, body.data.data.length]).toEqual([200, 100]);
  });
});
