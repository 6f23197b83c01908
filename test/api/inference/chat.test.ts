import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { chat, useTestService } from '#test/service/service.ts';

const service = useTestService();

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
