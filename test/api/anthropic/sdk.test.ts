import Anthropic from '@anthropic-ai/sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import { usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const person = usePerson(service, { planRank: 4 });
let client: Anthropic;
beforeEach(() => {
  client = clientOf(person.key);
});

const clientOf = (apiKey: string, more: object = {}) =>
  new Anthropic({ apiKey, baseURL: `${service.origin}/anthropic`, maxRetries: 0, ...more });
const user = (content: string) => [{ role: 'user' as const, content }];
const hello = { model: 'svc-1', max_tokens: 200, messages: user('Hello') };

const city = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [
  { name: 'get_weather', description: 'The weather in a city', input_schema: city },
  { name: 'get_local_time', input_schema: city },
];
const both = 'What is the weather in Paris, and the local time in Tokyo?';

describe('messages', () => {
  it('returns the message with the request id', async () => {
    const { _request_id: requestId, ...message } = await client.messages.create({ ...hello, system: 'Be brief' });
    expect(message).toMatchObject({
      id: `msg_${requestId}`,
      type: 'message',
      role: 'assistant',
      model: 'svc-1',
      content: [{ type: 'text', text: expect.stringMatching(/demo/) }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
  });

  it('streams the same message as the whole response, with the prompt tokens at the start', async () => {
    const stream = client.messages.stream(hello);
    const events: Anthropic.MessageStreamEvent[] = [];
    stream.on('streamEvent', (event) => events.push(structuredClone(event)));
    const { id, parsed_output: parsed, ...message } = await stream.finalMessage();
    const { id: otherId, _request_id: _, ...whole } = await client.messages.create(hello);
    expect([message, parsed]).toEqual([whole, null]);
    expect(id).not.toBe(otherId);
    const deltas = events.slice(2, -3);
    expect(deltas.length).toBeGreaterThan(10);
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      ...deltas.map(() => 'content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events[0]).toMatchObject({ message: { content: [], usage: { output_tokens: 0 } } });
    const started = events[0]?.type === 'message_start' ? events[0].message.usage.input_tokens : 0;
    const { max_tokens: _maxTokens, ...prompt } = hello;
    expect(started).toBeGreaterThan(0);
    expect(await client.messages.countTokens(prompt)).toMatchObject({ input_tokens: started });
  });

  it('supports the beta client, whose paths have a query', async () => {
    const message = await client.beta.messages.create({ ...hello, betas: ['made-up-2030-01-01'] });
    expect(message.stop_reason).toBe('end_turn');
    const { max_tokens: _, ...prompt } = hello;
    expect(await client.beta.messages.countTokens(prompt)).toHaveProperty('input_tokens');
  });

  it.each([false, true])('calls a tool and replies with its result, streaming: %s', async (stream) => {
    const send = (messages: Anthropic.MessageParam[]) => {
      const body = { ...hello, tools, messages };
      return stream ? client.messages.stream(body).finalMessage() : client.messages.create(body);
    };
    const question = user(both);
    const { content, stop_reason: reason } = await send(question);
    expect(reason).toBe('tool_use');
    expect(content).toMatchObject([
      { type: 'tool_use', name: 'get_weather', input: { city: 'Paris' } },
      { type: 'tool_use', name: 'get_local_time', input: { city: 'Tokyo' } },
    ]);
    const results = content.flatMap((block, index) =>
      block.type === 'tool_use'
        ? {
            type: 'tool_result' as const,
            tool_use_id: block.id,
            content: index === 0 ? '{"sky":"clear"}' : '{"hour":9}',
          }
        : [],
    );
    expect(new Set(results.map(({ tool_use_id: id }) => id)).size).toBe(2);
    const final = await send([...question, { role: 'assistant', content }, { role: 'user', content: results }]);
    const text = final.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    expect([final.stop_reason, text]).toEqual(['end_turn', expect.stringContaining('sky is clear')]);
    expect(text).toContain('hour is 9');
  });

  it('parses a response that follows a JSON schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
      required: ['city', 'days'],
      additionalProperties: false,
    };
    const { content } = await client.messages.create({
      ...hello,
      messages: user('A trip to Lisbon for 3 days'),
      output_config: { format: { type: 'json_schema', schema }, effort: 'low' },
    });
    const [block] = content;
    expect(JSON.parse(block?.type === 'text' ? block.text : '')).toEqual({ city: 'Lisbon', days: 3 });
  });

  it('names omitted tools in a header', async () => {
    const body = {
      ...hello,
      tools: [
        { type: 'web_search_20250305' as const, name: 'web_search' as const },
        ...tools,
        { type: 'bash_20250124' as const, name: 'bash' as const },
      ],
    };
    const { response } = await client.messages.create(body).withResponse();
    expect(response.headers.get('x-tools-left-out')).toBe('web_search, bash');
    const streamed = await client.messages.create({ ...body, stream: true }).withResponse();
    streamed.data.controller.abort();
    expect(streamed.response.headers.get('x-tools-left-out')).toBe('web_search, bash');
    expect((await client.messages.create(hello).withResponse()).response.headers.has('x-tools-left-out')).toBe(false);
  });
});

describe('models', () => {
  it('lists the chat models', async () => {
    const listed = [];
    for await (const { id, max_input_tokens: tokens } of client.models.list()) listed.push([id, tokens]);
    const enveloped = await service.call('GET', '/v1/models', { key: person.key });
    const chatModels = enveloped.body.data.filter(({ capabilities }: any) => capabilities.includes('chat'));
    expect(listed).toEqual(chatModels.map(({ id, context_window: window }: any) => [id, window]));
    expect(listed.length).toBeGreaterThan(1);
  });
});

describe('HEAD /anthropic', () => {
  it.each([{}, { authorization: 'Bearer junk' }, { 'x-api-key': 'junk' }])('returns 200 with %j', async (headers) => {
    const response = await fetch(`${service.origin}/anthropic`, { method: 'HEAD', headers });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

describe('an SDK error', () => {
  const complete = (from: Anthropic, more: object = {}) => from.messages.create({ ...hello, ...more });

  async function errorOf(work: Promise<unknown>): Promise<InstanceType<typeof Anthropic.APIError>> {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof Anthropic.APIError)) throw new Error(`no APIError: ${String(error)}`);
    return error;
  }

  it.each([
    ['AuthenticationError', 401, 'authentication_error', () => complete(clientOf('junk'))],
    ['BadRequestError', 400, 'invalid_request_error', () => complete(client, { temperature: 1.5 })],
    ['BadRequestError', 400, 'invalid_request_error', () => complete(client, { messages: user('word '.repeat(5000)) })],
    ['NotFoundError', 404, 'not_found_error', () => complete(client, { model: 'claude-sonnet-5' })],
    ['NotFoundError', 404, 'not_found_error', () => client.messages.countTokens({ ...hello, model: 'svc-embed' })],
    ['NotFoundError', 404, 'not_found_error', () => client.get('/v1/organizations/me')],
  ] as const)('is a %s with status %i and type %s', async (name, status, type, work) => {
    const error = await errorOf(work());
    expect(error).toBeInstanceOf(Anthropic[name]);
    expect(error).toMatchObject({ status, type, requestID: expect.stringMatching(/^\w+$/) });
    expect(error.error).toMatchObject({ type: 'error', error: { message: expect.stringMatching(/^.{10,}\.$/) } });
    expect(error.headers?.get('x-should-retry')).toBe('false');
  });

  it('names both headers if no key was sent, and the format of a key if it is malformed', async () => {
    const messages = { method: 'POST', body: JSON.stringify(hello) };
    const detailOf = async (headers: Record<string, string>) => {
      const init = { ...messages, headers: { 'content-type': 'application/json', ...headers } };
      const response = await fetch(`${service.origin}/anthropic/v1/messages`, init);
      const { error } = (await response.json()) as any;
      return [response.status, error.message];
    };
    expect(await detailOf({})).toEqual([
      401,
      'No API key was sent; send x-api-key or Authorization: Bearer and an API key that is active.',
    ]);
    for (const headers of [{ 'x-api-key': 'junk' }, { authorization: 'junk' }])
      expect(await detailOf(headers)).toEqual([401, expect.stringMatching(/^The x-api-key header must be an API key/)]);
  });

  it('has status 403 for a model above the plan, 402 without credits, and 429 with the retry time above the rate limit', async () => {
    const free = clientOf((await service.person()).key);
    const forbidden = await errorOf(complete(free, { model: 'svc-1-32k' }));
    expect(forbidden).toBeInstanceOf(Anthropic.PermissionDeniedError);
    expect(forbidden).toMatchObject({ status: 403, type: 'permission_error' });

    const poor = await errorOf(complete(clientOf((await service.person({ planRank: 2, credits: 0 })).key)));
    expect(poor).toMatchObject({ status: 402, type: 'billing_error' });
    expect(poor.headers?.get('x-should-retry')).toBe('false');

    for (let calls = 0; calls < 10; calls++) await complete(free);
    const hasty = await errorOf(complete(free));
    expect(hasty).toBeInstanceOf(Anthropic.RateLimitError);
    expect(hasty).toMatchObject({ status: 429, type: 'rate_limit_error' });
    expect(Number(hasty.headers?.get('retry-after'))).toBeGreaterThan(50);
    expect(hasty.headers?.get('x-should-retry')).toBeNull();
  });

  it('is retried by a client only if a retry may succeed', async () => {
    let requests = 0;
    const counting: typeof fetch = (input, init) => {
      requests += 1;
      return fetch(input, init);
    };
    const persistent = (key: string) => clientOf(key, { maxRetries: 2, fetch: counting });
    const poor = await service.person({ planRank: 2, credits: 0 });
    for (const [key, more] of [
      ['junk', {}],
      [person.key, { max_tokens: 0 }],
      [person.key, { model: 'claude-sonnet-5' }],
      [poor.key, {}],
    ] as const) {
      requests = 0;
      await errorOf(complete(persistent(key), more));
      expect(requests).toBe(1);
    }
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error' });
    requests = 0;
    expect(await complete(persistent(person.key))).toHaveProperty('content');
    expect(requests).toBe(2);
  });

  it.each([
    ['error', 502, 'api_error'],
    ['unavailable', 503, 'overloaded_error'],
  ])('for the model fault “%s” is a server error %i', async (fault, status, type) => {
    await service.post('/_local/faults', { target: 'sagemaker', fault });
    const error = await errorOf(complete(client));
    expect(error).toBeInstanceOf(Anthropic.InternalServerError);
    expect(error).toMatchObject({ status, type });
  });

  it('is thrown inside the loop over an interrupted stream', async () => {
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'cut' });
    const stream = await client.messages.create({ ...hello, messages: user('A long story'), stream: true });
    let text = '';
    const read = (async () => {
      for await (const event of stream)
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
    })();
    expect(await errorOf(read)).toMatchObject({ type: 'api_error' });
    expect(text).not.toBe('');
  });
});
