import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const person = usePerson(service, { planRank: 4 });
let client: OpenAI;
beforeAll(() => {
  client = clientOf(person.key);
});

const clientOf = (apiKey: string, more: object = {}) =>
  new OpenAI({ apiKey, baseURL: `${service.origin}/openai/v1`, maxRetries: 0, ...more });
const user = (content: string) => [{ role: 'user' as const, content }];

const functionTool = (name: string, properties: object, required: string[] = []) =>
  ({ type: 'function', function: { name, parameters: { type: 'object', properties, required } } }) as const;
const weather = functionTool('get_weather', { city: { type: 'string' } }, ['city']);
const time = functionTool('get_local_time', { city: { type: 'string' } }, ['city']);
const both = 'What is the weather in Paris, and the local time in Tokyo?';

describe('chat.completions', () => {
  it('returns the response with the request id', async () => {
    const completion = await client.chat.completions.create({ model: 'svc-1', messages: user('Hello') });
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: 'svc-1',
      choices: [{ message: { role: 'assistant', content: expect.stringMatching(/demo/) }, finish_reason: 'stop' }],
    });
    const { id, _request_id: requestId } = completion;
    expect(requestId).toMatch(/^\w+$/);
    expect(id).toBe(`chatcmpl-${requestId}`);
  });

  it('streams the same content as the whole response, with the usage if requested', async () => {
    const params = { model: 'svc-1', messages: user('Tell me of rivers') };
    const stream = await client.chat.completions.create({
      ...params,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    const whole = await client.chat.completions.create(params);
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  it('supports the stream helper, which assembles several tool calls', async () => {
    const stream = client.chat.completions.stream({ model: 'svc-1', messages: user(both), tools: [weather, time] });
    const { choices } = await stream.finalChatCompletion();
    const calls = (choices[0]?.message.tool_calls ?? []).map((call) => call.type === 'function' && call.function);
    expect(choices[0]).toMatchObject({ message: { content: null }, finish_reason: 'tool_calls' });
    expect(calls).toMatchObject([
      { name: 'get_weather', arguments: '{"city":"Paris"}' },
      { name: 'get_local_time', arguments: '{"city":"Tokyo"}' },
    ]);
  });

  it.each([false, true])(
    'supports runTools, which runs the requested tools and returns the reply, streaming: %s',
    async (stream) => {
      const called: string[] = [];
      const tool = (name: string, output: string) => ({
        type: 'function' as const,
        function: {
          name,
          description: name,
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          parse: JSON.parse,
          function: ({ city }: { city: string }) => {
            called.push(`${name} ${city}`);
            return output;
          },
        },
      });
      const tools = [tool('get_weather', '{"sky":"clear"}'), tool('get_local_time', '{"hour":9}')];
      const body = { model: 'svc-1', messages: user(both), tools };
      const runner = stream
        ? client.chat.completions.runTools({ ...body, stream: true })
        : client.chat.completions.runTools(body);
      const final = await runner.finalContent();
      expect(called.toSorted()).toEqual(['get_local_time Tokyo', 'get_weather Paris']);
      expect(final).toContain('The function get_weather answered: sky is clear');
      expect(final).toContain('The function get_local_time answered: hour is 9');
    },
  );
});

describe('the OpenAI SDK', () => {
  it('returns and streams a text completion', async () => {
    const params = { model: 'svc-instruct', prompt: 'Once upon a time', max_tokens: 12 };
    const whole = await client.completions.create(params);
    expect(whole).toMatchObject({ object: 'text_completion', choices: [{ finish_reason: 'length' }] });
    const chunks = [];
    for await (const chunk of await client.completions.create({ ...params, stream: true })) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.text).join('')).toBe(whole.choices[0]?.text);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('length');
  });

  it('receives the same vectors as floats and in its default base64', async () => {
    const input = ['a cat', 'a dog'];
    const params = { model: 'svc-embed', input, dimensions: 16 };
    const packed = await client.embeddings.create(params);
    const floats = await client.embeddings.create({ ...params, encoding_format: 'float' });
    expect(packed.data).toHaveLength(2);
    expect(packed.data.map(({ embedding }) => embedding)).toEqual(
      floats.data.map(({ embedding }) => embedding.map(Math.fround)),
    );
  });
});

beforeEach(() => {
  client = clientOf(person.key);
});

describe('an SDK error', () => {
  const complete = (from: OpenAI, more: object = {}) =>
    from.chat.completions.create({ model: 'svc-1', messages: user('Hello'), ...more });

  async function errorOf(work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof OpenAI.APIError)) throw new Error(`no APIError: ${String(error)}`);
    return error;
  }

  it.each([
    ['AuthenticationError', 401, 'authentication_error', 'invalid_api_key', () => complete(clientOf('junk'))],
    ['BadRequestError', 400, 'invalid_request_error', 'invalid_value', () => complete(client, { temperature: 3 })],
    ['BadRequestError', 400, 'invalid_request_error', 'model_not_found', () => complete(client, { model: 'gpt-4' })],
    [
      'BadRequestError',
      400,
      'invalid_request_error',
      'context_length_exceeded',
      () => complete(client, { messages: user('word '.repeat(5000)) }),
    ],
    ['NotFoundError', 404, 'invalid_request_error', 'model_not_found', () => client.models.retrieve('gpt-4')],
    ['NotFoundError', 404, 'invalid_request_error', 'unknown_url', () => client.get('/threads')],
  ] as const)('is a %s with status %i, type %s and code %s', async (name, status, kind, code, work) => {
    const error = await errorOf(work());
    expect(error).toBeInstanceOf(OpenAI[name]);
    expect(error).toMatchObject({ status, type: kind, code, requestID: expect.stringMatching(/^\w+$/) });
    expect(error.message).toMatch(new RegExp(`^${status} .{10,}\\.$`));
  });

  it('has status 403 for a model above the plan, 402 without credits, and 429 with the retry time above the rate limit', async () => {
    const free = clientOf((await service.person()).key);
    const forbidden = await errorOf(complete(free, { model: 'svc-1-32k' }));
    expect(forbidden).toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect(forbidden).toMatchObject({ status: 403, code: 'insufficient_permissions' });

    const poor = await errorOf(complete(clientOf((await service.person({ planRank: 2, credits: 0 })).key)));
    expect(poor).toMatchObject({ status: 402, type: 'insufficient_quota', code: 'insufficient_quota' });
    expect(poor.headers?.get('x-should-retry')).toBe('false');

    for (let calls = 0; calls < 10; calls++) await complete(free);
    const hasty = await errorOf(complete(free));
    expect(hasty).toBeInstanceOf(OpenAI.RateLimitError);
    expect(hasty).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect(Number(hasty.headers?.get('retry-after'))).toBeGreaterThan(50);
    expect(hasty.headers?.get('x-should-retry')).toBeNull();
  });

  it.each([
    ['error', 502, 'model_error'],
    ['unavailable', 503, 'service_unavailable'],
  ])(
    'for the model fault “%s” is a server error %i, and a retry by the client succeeds',
    async (fault, status, code) => {
      await service.post('/_local/faults', { target: 'sagemaker', fault });
      const error = await errorOf(complete(client));
      expect(error).toBeInstanceOf(OpenAI.InternalServerError);
      expect(error).toMatchObject({ status, type: 'server_error', code });
      if (status === 503) return;
      await service.post('/_local/faults', { target: 'sagemaker', fault });
      expect(await complete(clientOf(person.key, { maxRetries: 1 }))).toHaveProperty('choices');
    },
  );

  it('is thrown inside the loop over an interrupted stream', async () => {
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'cut' });
    const stream = await client.chat.completions.create({
      model: 'svc-1',
      messages: user('A long story'),
      stream: true,
    });
    let text = '';
    const read = (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    })();
    expect(await errorOf(read)).toMatchObject({ type: 'server_error', code: 'model_error' });
    expect(text).not.toBe('');
  });
});

beforeAll(() => void Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false }));

const provider = (apiKey = person.key) =>
  createOpenAICompatible({
    name: 'platform',
    apiKey,
    baseURL: `${service.origin}/openai/v1`,
    includeUsage: true,
  });
const plain = { maxRetries: 0 };
const svc1 = () => ({ ...plain, model: provider()('svc-1') });
describe('the AI SDK', () => {
  it('streams text with its usage', async () => {
    const options = { ...svc1(), prompt: 'Tell me of rivers' };
    const streamed = streamText(options);
    let text = '';
    for await (const piece of streamed.textStream) text += piece;
    const whole = await generateText(options);
    expect(text).toBe(whole.text);
    expect((await streamed.usage).outputTokens).toBe(whole.usage.outputTokens);
  });

  it('reports errors with their status and message', async () => {
    const failed = await generateText({ ...plain, model: provider('junk')('svc-1'), prompt: 'Hello' }).catch(
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(APICallError);
    expect(failed).toMatchObject({ statusCode: 401, isRetryable: false, message: expect.stringMatching(/key/i) });
  });
});
