import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let person: Person;
let client: OpenAI;
beforeAll(async () => {
  service = await startTestService();
  person = await service.person({ planRank: 4 });
});
beforeEach(() => {
  client = clientOf(person.key);
});
afterAll(() => service.close());

const clientOf = (apiKey: string, more: object = {}) =>
  new OpenAI({ apiKey, baseURL: `${service.origin}/openai/v1`, maxRetries: 0, ...more });
const user = (content: string) => [{ role: 'user' as const, content }];
const functionTool = (name: string, properties: object, required: string[] = []) =>
  ({ type: 'function', function: { name, parameters: { type: 'object', properties, required } } }) as const;
const weather = functionTool('get_weather', { city: { type: 'string' } }, ['city']);
const time = functionTool('get_local_time', { city: { type: 'string' } }, ['city']);
const both = 'What is the weather in Paris, and the local time in Tokyo?';

describe('chat.completions', () => {
  it('responds, and the request id is on the response', async () => {
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

  it('streams to a raw loop what it would have returned whole, and the usage where it is requested', async () => {
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

  it('feeds the stream helper, which puts several tool calls together again', async () => {
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
    'lets runTools call what the model requests and respond with it, streaming: %s',
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

  it('takes functions as before tools there were, and calls one', async () => {
    const functions = [weather.function];
    const messages = user('What is the weather in Paris?');
    const completion = await client.chat.completions.create({ model: 'svc-1', messages, functions });
    expect(completion.choices[0]).toMatchObject({
      message: { content: null, function_call: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
      finish_reason: 'function_call',
    });
    const [choice] = completion.choices;
    const result = { role: 'function' as const, name: 'get_weather', content: '{"sky":"clear"}' };
    const continued = await client.chat.completions.create({
      model: 'svc-1',
      messages: [...messages, choice!.message, result],
      functions,
    });
    expect(continued.choices[0]).toMatchObject({
      message: { content: expect.stringContaining('sky is clear') },
      finish_reason: 'stop',
    });
  });

  it('parses responses that follow a JSON schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
      required: ['city', 'days'],
      additionalProperties: false,
    };
    const completion = await client.chat.completions.parse({
      model: 'svc-1',
      messages: user('A trip to Lisbon for 3 days'),
      response_format: { type: 'json_schema', json_schema: { name: 'trip', strict: true, schema } },
    });
    expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toEqual({ city: 'Lisbon', days: 3 });
  });
});

describe('the other operations', () => {
  it('completions responds and streams', async () => {
    const params = { model: 'svc-instruct', prompt: 'Once upon a time', max_tokens: 12 };
    const whole = await client.completions.create(params);
    expect(whole).toMatchObject({ object: 'text_completion', choices: [{ finish_reason: 'length' }] });
    const chunks = [];
    for await (const chunk of await client.completions.create({ ...params, stream: true })) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.text).join('')).toBe(whole.choices[0]?.text);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('length');
  });

  it('embeddings gives the same vectors as floats and as the base64 that the client requests by itself', async () => {
    const input = ['a cat', 'a dog'];
    const params = { model: 'svc-embed', input, dimensions: 16 };
    const packed = await client.embeddings.create(params);
    const floats = await client.embeddings.create({ ...params, encoding_format: 'float' });
    expect(packed.data).toHaveLength(2);
    expect(packed.data.map(({ embedding }) => embedding)).toEqual(
      floats.data.map(({ embedding }) => embedding.map(Math.fround)),
    );
  });

  it('models lists and retrieves', async () => {
    const listed = [];
    for await (const model of client.models.list()) listed.push(model.id);
    expect(listed).toEqual([
      'svc-1',
      'svc-1-32k',
      'svc-instruct',
      'svc-code',
      'svc-embed',
      'svc-speech',
      'svc-transcribe',
    ]);
    expect(await client.models.retrieve('svc-1')).toMatchObject({ id: 'svc-1', object: 'model', owned_by: 'platform' });
  });
});
