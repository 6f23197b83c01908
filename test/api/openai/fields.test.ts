import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EngineReply } from '#local/sagemaker/engine.ts';
import { done } from '#test/models/scripted-model.ts';
import { chatEnd, textEnd, total, useScriptedService } from '#test/service/scripted-service.ts';

/** In the containers vLLM, LMI and TGI. */
const service = useScriptedService();
const models = { vllm: 'svc-1', lmi: 'svc-instruct', tgi: 'svc-code' };
const chats = '/openai/v1/chat/completions';
const completions = '/openai/v1/completions';
const messages = [{ role: 'user', content: 'Hi' }];

let client: OpenAI;
beforeAll(() => {
  client = new OpenAI({ apiKey: service.person.key, baseURL: `${service.origin}/openai/v1`, maxRetries: 0 });
});

/** The requests that a model receives; it responds with this choice. */
function receives(choice: object = {}, usage: object = { prompt_tokens: 5, completion_tokens: 7 }): any[] {
  const received: any[] = [];
  service.model.becomes({
    async invoke(body): Promise<EngineReply> {
      received.push(body);
      const isChat = 'messages' in (body as object);
      const content = isChat ? { message: { role: 'assistant', content: 'Hello' } } : { text: 'Hello' };
      const choices = [{ ...content, finish_reason: 'stop', ...choice }];
      return { kind: 'json', status: 200, body: { choices, usage } };
    },
  });
  return received;
}

const bodyOf = (path: string, model: string, more: object) =>
  path === chats ? { model, messages, ...more } : { model, prompt: 'Hi', ...more };

describe('an option that only some containers support', () => {
  it.each<[string, object]>([
    [chats, { logprobs: true, top_logprobs: 2 }],
    [chats, { logit_bias: { '42': -100 } }],
    [chats, { reasoning_effort: 'high' }],
    [chats, { min_p: 0.1 }],
    [chats, { repetition_penalty: 1.2 }],
    [completions, { logprobs: 3 }],
    [completions, { logit_bias: { '42': -100 } }],
    [completions, { min_p: 0.1, repetition_penalty: 1.2 }],
  ])('is sent to vLLM and LMI unchanged on %s: %j', async (path, options) => {
    for (const model of [models.vllm, models.lmi]) {
      const received = receives();
      const { status } = await service.priced(path, bodyOf(path, model, options));
      expect([status, received.length]).toEqual([200, 1]);
      expect(received[0]).toMatchObject(options);
    }
  });

  it.each<[string, string, object]>([
    ['logit_bias', chats, { logit_bias: { '1': 1 } }],
    ['reasoning_effort', chats, { reasoning_effort: 'low' }],
    ['min_p', chats, { min_p: 0.1, stream: true }],
    ['repetition_penalty', chats, { repetition_penalty: 1.1 }],
    ['logprobs', completions, { logprobs: 1 }],
    ['logit_bias', completions, { logit_bias: { '1': 1 }, stream: true }],
    ['min_p', completions, { min_p: 0.1 }],
    ['logprobs', chats, { logprobs: true }],
  ])(
    'returns a 400 that names it, without a charge, if TGI does not support it: %s on %s',
    async (param, path, options) => {
      const received = receives();
      const { status, text, cost } = await service.priced(path, bodyOf(path, models.tgi, options));
      expect([status, cost, received.length]).toEqual([400, 0, 0]);
      expect(JSON.parse(text).error).toMatchObject({ param, message: `${param} is not supported by this model.` });
    },
  );
});

describe('a field that describes a request', () => {
  it.each<object>([
    { user: 'u-1' },
    { metadata: { run: '1' } },
    { store: true },
    { service_tier: 'auto' },
    { safety_identifier: 'abc' },
    { prompt_cache_key: 'abc' },
    { prompt_cache_retention: '24h' },
    { prediction: { type: 'content', content: 'Hello' } },
    { stream_options: null },
  ])('is accepted and does not reach the model: %j', async (fields) => {
    for (const path of [chats, completions]) {
      const usual = receives();
      await service.priced(path, bodyOf(path, models.vllm, {}));
      const received = receives();
      expect((await service.priced(path, bodyOf(path, models.vllm, fields))).status).toBe(200);
      expect(received).toEqual(usual);
    }
  });
});

describe('log probabilities', () => {
  const top = [{ token: 'Hello', logprob: -0.1, bytes: [72] }];
  const ofChat = { content: [{ token: 'Hello', logprob: -0.1, bytes: [72], top_logprobs: top }], refusal: null };
  const ofCompletion = { tokens: ['Hello'], token_logprobs: [-0.1], top_logprobs: [{ Hello: -0.1 }], text_offset: [0] };
  const requested = { logprobs: true, top_logprobs: 1 } as const;
  const chat = { model: models.vllm, messages: messages as never, ...requested };

  it('are returned with a chat, with and without streaming', async () => {
    receives({ logprobs: ofChat });
    const { choices } = await client.chat.completions.create(chat);
    expect(choices[0]?.logprobs).toEqual(ofChat);
    service.model.streams([
      { choices: [{ index: 0, delta: { content: 'Hello' }, logprobs: ofChat }] },
      chatEnd,
      total,
      done,
    ]);
    const chunks = await Array.fromAsync(await client.chat.completions.create({ ...chat, stream: true }));
    expect(chunks.map((chunk) => chunk.choices[0]?.logprobs ?? null)).toEqual([null, ofChat, null]);
  });

  it('are returned with a completion, with and without streaming', async () => {
    receives({ logprobs: ofCompletion });
    const body = { model: models.lmi, prompt: 'Hi', logprobs: 1 };
    const { choices } = await client.completions.create(body);
    expect(choices[0]?.logprobs).toEqual(ofCompletion);
    service.model.streams([{ choices: [{ index: 0, text: 'Hello', logprobs: ofCompletion }] }, textEnd, total, done]);
    const chunks = await Array.fromAsync(await client.completions.create({ ...body, stream: true }));
    expect(chunks.map((chunk) => chunk.choices[0]?.logprobs ?? null)).toEqual([ofCompletion, null]);
  });

  it('are null unless requested', async () => {
    receives({ logprobs: ofChat });
    const { choices } = await client.chat.completions.create({ model: models.vllm, messages: messages as never });
    expect(choices[0]?.logprobs).toBeNull();
  });

  it.each<[string, unknown]>([
    ['a list', []],
    ['text', 'x'],
    ['a token without a number', { content: [{ token: 'a' }] }],
    ['a number that is text', { content: [{ token: 'a', logprob: '-1' }] }],
    ['21 alternatives', { content: [{ token: 'a', logprob: -1, top_logprobs: Array(21).fill(top[0]) }] }],
    ['bytes beyond 255', { content: [{ token: 'a', logprob: -1, bytes: [256] }] }],
  ])('are null if the model sends %s', async (_, logprobs) => {
    receives({ logprobs });
    const { choices } = await client.chat.completions.create(chat);
    expect(choices[0]).toMatchObject({ logprobs: null, message: { content: 'Hello' } });
  });
});

describe('the reasoning of a model', () => {
  const message = { role: 'assistant', content: 'Four.' };
  const chat = { model: models.vllm, messages: messages as never };
  const details = { prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 3 } };
  const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, ...details };

  it.each(['reasoning_content', 'reasoning'])(
    'is returned if sent as %s, with and without streaming',
    async (field) => {
      receives({ message: { ...message, [field]: 'Two and two.' } }, usage);
      const whole = await client.chat.completions.create(chat);
      expect(whole).toMatchObject({
        choices: [{ message: { content: 'Four.', reasoning_content: 'Two and two.' } }],
        usage,
      });
      service.model.streams([
        { choices: [{ index: 0, delta: { [field]: 'Two ' } }] },
        { choices: [{ index: 0, delta: { [field]: 'and two.' } }] },
        { choices: [{ index: 0, delta: { content: 'Four.' } }] },
        chatEnd,
        { choices: [], usage },
        done,
      ]);
      const stream = client.chat.completions.stream({ ...chat, stream_options: { include_usage: true } });
      const deltas = (await Array.fromAsync(stream)).flatMap(({ choices }) => choices.map(({ delta }) => delta));
      expect(deltas).toEqual([
        { role: 'assistant', content: '', refusal: null },
        { reasoning_content: 'Two ' },
        { reasoning_content: 'and two.' },
        { content: 'Four.' },
        {},
      ]);
      expect((await stream.finalChatCompletion()).usage).toEqual(usage);
    },
  );

  it('is omitted on /v1', async () => {
    receives({ message: { ...message, reasoning_content: 'Two and two.' } }, usage);
    const { body } = await service.plain('/v1/chat/completions', chat);
    expect(body.data.choices[0].message).toEqual(message);
    const { completion_tokens_details: _, ...others } = usage;
    expect(body.data.usage).toEqual(others);
  });
});

describe('streamed calls of tools', () => {
  const tools = ['one', 'two'].map((name) => ({ type: 'function' as const, function: { name } }));
  const called = (call: object) => ({ choices: [{ index: 0, delta: { tool_calls: [call] } }] });
  const calls: [string, object | undefined][] = [
    ['the same index', { index: 0 }],
    ['no index', {}],
    ['their own index', undefined],
  ];

  it.each(calls)('are separate if their ids differ, with %s', async (_, index) => {
    const part = (call: number, more: object) => called({ ...(index ?? { index: call }), ...more });
    service.model.streams([
      part(0, { id: 'a', function: { name: 'one', arguments: '{"x":' } }),
      part(0, { function: { arguments: '1}' } }),
      part(1, { id: 'b', function: { name: 'two', arguments: '{}' } }),
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      total,
      done,
    ]);
    const stream = client.chat.completions.stream({ model: models.vllm, messages: messages as never, tools });
    const { choices } = await stream.finalChatCompletion();
    expect(
      choices[0]?.message.tool_calls?.map((call: any) => [call.id, call.function.name, call.function.arguments]),
    ).toEqual([
      ['a', 'one', '{"x":1}'],
      ['b', 'two', '{}'],
    ]);
  });

  it('to a tool outside of allowed_tools are a model error', async () => {
    service.model.streams([called({ index: 0, id: 'a', function: { name: 'two', arguments: '{}' } }), total, done]);
    const allowed_tools = { mode: 'auto', tools: [tools[0]] };
    const tool_choice = { type: 'allowed_tools', allowed_tools };
    const { status, text } = await service.priced(
      chats,
      bodyOf(chats, models.vllm, { tools, tool_choice, stream: true }),
    );
    expect([status, JSON.parse(text).error.code]).toEqual([502, 'model_error']);
  });
});
