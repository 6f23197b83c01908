import type Anthropic from '@anthropic-ai/sdk';
import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream';
import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { AnthropicEvent, AnthropicMessage } from '#contract/inference/anthropic-message.ts';
import { AnthropicRequest } from '#contract/inference/anthropic.ts';
import { anthropicChat, conversationOfAnthropic } from '#domain/inference/anthropic-chat.ts';
import { inference } from '#domain/inference/inference.ts';
import type { ModelChunk, ModelUsage } from '#domain/inference/model-stream.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';

const schema = { type: 'object' };
const tools = ['get_weather', 'get_time'].map((name) => ({ name, input_schema: schema }));
const thinking = { type: 'adaptive' };
const parsed = (body: object) =>
  v.parse(AnthropicRequest, { model: 'svc-1', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], ...body });

interface Reply {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly (readonly [name: string, args: string])[];
  readonly reason?: string;
  readonly stopReason?: unknown;
  readonly usage?: ModelUsage;
}

const reported = { prompt_tokens: 9, completion_tokens: 4 };

const delta = (value: object): ModelChunk => ({ choices: [{ delta: value }] });
const opening = (index: number, name: string) => ({ index, id: `c${index}`, function: { name, arguments: '' } });
const more = (index: number, text: string) => delta({ tool_calls: [{ index, function: { arguments: text } }] });

/** The chunks of a reply, with each text in pieces of up to `size` characters. */
function chunksOf({ reasoning = '', text = '', calls = [], reason, stopReason, usage }: Reply, size = 3): ModelChunk[] {
  const pieces = (whole: string) => whole.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? [];
  return [
    ...pieces(reasoning).map((piece) => delta({ reasoning: piece })),
    ...pieces(text).map((piece) => delta({ content: piece })),
    ...calls.flatMap(([name, args], index) => [
      delta({ tool_calls: [opening(index, name)] }),
      ...pieces(args).map((piece) => more(index, piece)),
    ]),
    { choices: [{ delta: {}, finish_reason: reason ?? 'stop', stop_reason: stopReason as string }] },
    { choices: [], usage: usage ?? reported },
  ];
}

function wholeOf({ reasoning, text, calls = [], reason = 'stop', stopReason, usage = reported }: Reply) {
  const tool_calls = calls.map(([name, args]) => ({ id: 'same', function: { name, arguments: args } }));
  const message = { content: text ?? null, tool_calls, ...(reasoning && { reasoning }) };
  return { choices: [{ message, finish_reason: reason, stop_reason: stopReason as string }], usage };
}

/** The service's inference with a model that sends this reply. */
function serviceWith(chunks: readonly ModelChunk[], reply?: unknown) {
  const call = <Result>(result: Result) => ({ prepare: () => undefined, send: () => result });
  async function* source() {
    yield* chunks;
  }
  const gateway = {
    chat: () => call(Promise.resolve(reply)),
    chatStream: () => call({ chunks: source(), cancel: () => undefined }),
  };
  return inference(gateway as never, bpeTokenizer, { now: () => 0 });
}

async function streamOf(chunks: readonly ModelChunk[], body: object) {
  const { orderChat, streamChat } = serviceWith(chunks);
  const request = parsed({ ...body, stream: true });
  const order = await orderChat(conversationOfAnthropic(request), anthropicChat(request), async () => undefined);
  if (!order.stream) throw new Error('no stream');
  return streamChat(order, '1');
}

async function streamed(chunks: readonly ModelChunk[], body: object): Promise<AnthropicEvent[]> {
  const stream = await streamOf(chunks, body);
  const events: AnthropicEvent[] = [];
  for (let next = await stream.next(); !next.done; next = await stream.next())
    events.push(v.parse(AnthropicEvent, next.value));
  return events;
}

async function whole(reply: Reply, body: object): Promise<AnthropicMessage> {
  const { orderChat, chat } = serviceWith([], wholeOf(reply));
  const request = parsed(body);
  const order = await orderChat(conversationOfAnthropic(request), anthropicChat(request), async () => undefined);
  if (order.stream) throw new Error('a stream');
  const { body: message } = await chat(order, '1');
  return v.parse(AnthropicMessage, message);
}

/** The message that the official SDK assembles from the events. */
function assembled(events: readonly AnthropicEvent[]): Promise<Anthropic.Message> {
  const lines = [...events, { type: 'message_stop' }].map((event) => `${JSON.stringify(event)}\n`);
  return MessageStream.fromReadableStream(new Response(lines.join('')).body!).finalMessage();
}

it('the schemas of the contract have the types of the official SDK', () => {
  const message: Anthropic.Message | undefined = undefined as AnthropicMessage | undefined;
  const event: Anthropic.RawMessageStreamEvent | undefined = undefined as AnthropicEvent | undefined;
  expect([message, event]).toEqual([undefined, undefined]);
});

describe('a stream', () => {
  it('has the events of each block in order, and cumulative usage at its end', async () => {
    const reply = {
      reasoning: 'Hm',
      text: 'Look:',
      calls: [
        ['get_weather', '{"a":1}'],
        ['get_time', ''],
      ],
    } as const;
    const events = await streamed(chunksOf(reply, 4), { tools, thinking });
    const tool = (name: string, index: number) => ({ type: 'tool_use', id: `toolu_1_${index}`, name, input: {} });
    expect(events).toMatchObject([
      { type: 'message_start', message: { id: 'msg_1', content: [], usage: { output_tokens: 0 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Look' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: ':' } },
      { type: 'content_block_stop', index: 1 },
      { type: 'content_block_start', index: 2, content_block: tool('get_weather', 0) },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a"' } },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: ':1}' } },
      { type: 'content_block_stop', index: 2 },
      { type: 'content_block_start', index: 3, content_block: tool('get_time', 1) },
      { type: 'content_block_stop', index: 3 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { input_tokens: 9, output_tokens: 4 },
      },
    ]);
  });

  it('is assembled by the SDK to the message of the whole response, for any reply', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    const args = fc
      .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }))
      .map((value) => JSON.stringify(value));
    const reply = fc.record({
      reasoning: text,
      text,
      calls: fc.array(fc.tuple(fc.constantFrom('get_weather', 'get_time'), fc.oneof(args, fc.constant(''))), {
        maxLength: 4,
      }),
    });
    await fc.assert(
      fc.asyncProperty(reply, fc.integer({ min: 1, max: 5 }), async (made, size) => {
        const body = { tools, thinking, max_tokens: 3000 };
        const events = await streamed(chunksOf(made, size), body);
        expect(await assembled(events)).toEqual({ ...(await whole(made, body)), parsed_output: null });
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });

  it('reports the prompt tokens at its start, and they are charged if the model reports no usage', async () => {
    const usage = { prompt_tokens: -1, completion_tokens: -1 };
    const [first, ...rest] = await streamed(chunksOf({ text: 'Hello you', usage }), { system: 'Be "kind"' });
    const started = first?.type === 'message_start' ? first.message.usage.input_tokens : 0;
    expect(started).toBeGreaterThan(5);
    expect(rest.at(-1)).toMatchObject({ usage: { input_tokens: started, output_tokens: 2 } });
  });

  it('is charged after the first piece of output, wherever the client disconnects', async () => {
    const chunks = chunksOf({ text: 'Hi', calls: [['get_weather', '{"a":1}']] }, 1);
    const count = (await streamed(chunks, { tools })).length;
    const costs: number[] = [];
    for (let read = 0; read <= count; read++) {
      const stream = await streamOf(chunks, { tools });
      for (let at = 0; at < read; at++) await stream.next();
      stream.cancel();
      costs.push(await stream.cost());
    }
    // Nothing is delivered before the first block.
    expect(costs).toEqual([0, 0, ...Array.from({ length: count - 1 }, () => 1_000_000)]);
  });

  it.each([{}, { thinking }])('is charged for reasoning without text if it is cancelled, with %j', async (body) => {
    const stream = await streamOf(chunksOf({ reasoning: 'Let me think about it' }), body);
    const costs: number[] = [];
    for (let read = 0; read < 2; read++) {
      await stream.next();
      costs.push(await stream.cost());
    }
    stream.cancel();
    expect(costs).toEqual([0, 1_000_000]);
  });
});

describe('arguments of a call that are not a JSON object', () => {
  const notAnObject = ['{"a":', 'null', '[1]', '"x"', 'rm -rf', '{}{}'];
  const refusal = { code: 'MODEL_ERROR', detail: expect.stringContaining('not a JSON object') };

  it.each(notAnObject)('fail the whole response and the stream: %s', async (args) => {
    const reply: Reply = { text: 'Hi', calls: [['get_weather', args]] };
    await expect(whole(reply, { tools })).rejects.toMatchObject(refusal);
    await expect(streamed(chunksOf(reply), { tools })).rejects.toMatchObject(refusal);
    const followed: Reply = {
      calls: [
        ['get_weather', args],
        ['get_time', '{}'],
      ],
    };
    await expect(streamed(chunksOf(followed), { tools })).rejects.toMatchObject(refusal);
  });

  it('are omitted if the output was truncated, and incomplete in the stream', async () => {
    const reply: Reply = { text: 'Hi', calls: [['get_weather', '{"city": "Par']], reason: 'length' };
    expect(await whole(reply, { tools })).toMatchObject({ content: [{ text: 'Hi' }], stop_reason: 'max_tokens' });
    expect((await streamed(chunksOf(reply), { tools })).at(-1)).toMatchObject({ delta: { stop_reason: 'max_tokens' } });
  });

  it('result if the chunks of two calls alternate, and fail the stream', async () => {
    const both = delta({ tool_calls: [opening(0, 'get_weather'), opening(1, 'get_time')] });
    const chunks = [both, more(0, '{}'), more(1, '{}'), ...chunksOf({})];
    await expect(streamed(chunks, { tools })).rejects.toMatchObject(refusal);
  });
});

describe('the stop reason', () => {
  const stops = { stop_sequences: ['END', '###'] };
  it.each<[Reply, string, string | null]>([
    [{ reason: 'stop' }, 'end_turn', null],
    [{ reason: 'eos_token' }, 'end_turn', null],
    [{ reason: 'length' }, 'max_tokens', null],
    [{ reason: 'content_filter' }, 'refusal', null],
    [{ reason: 'stop', stopReason: 'END' }, 'stop_sequence', 'END'],
    [{ reason: 'stop', stopReason: 'other' }, 'end_turn', null],
    [{ reason: 'stop', stopReason: null }, 'end_turn', null],
    [{ reason: 'length', stopReason: 'END' }, 'max_tokens', null],
    [{ reason: 'tool_calls', calls: [['get_time', '{}']] }, 'tool_use', null],
    [{ reason: 'stop', calls: [['get_time', '{}']], stopReason: '###' }, 'tool_use', null],
    [{ reason: 'length', calls: [['get_time', '{}']] }, 'max_tokens', null],
  ])('of %j is %s', async (reply, stop_reason, stop_sequence) => {
    const body = { tools, ...stops };
    expect(await whole({ text: 'Hi', ...reply }, body)).toMatchObject({ stop_reason, stop_sequence });
    const events = await streamed(chunksOf({ text: 'Hi', ...reply }), body);
    expect(events.at(-1)).toMatchObject({ delta: { stop_reason, stop_sequence } });
  });
});

it('a refusal of the model becomes text, with the stop reason refusal', async () => {
  const refusing = { content: [{ type: 'text', text: 'No' }], stop_reason: 'refusal' };
  const message = { content: 'No', isRefusal: true as const };
  const { orderChat, chat } = serviceWith([], { choices: [{ message, finish_reason: 'stop' }], usage: reported });
  const order = await orderChat(conversationOfAnthropic(parsed({})), anthropicChat(parsed({})), async () => undefined);
  expect((await chat(order as never, '1')).body).toMatchObject(refusing);
  const chunks = [delta({ content: 'No', isRefusal: true }), ...chunksOf({})];
  expect(await assembled(await streamed(chunks, {}))).toMatchObject(refusing);
});

describe('reasoning', () => {
  const reply = { reasoning: 'Hm', text: 'Hi' };
  it.each<[object, readonly string[]]>([
    [{}, ['text']],
    [{ thinking: null }, ['text']],
    [{ thinking: { type: 'disabled' } }, ['text']],
    [{ thinking: { type: 'adaptive', display: 'omitted' } }, ['text']],
    [{ thinking: { type: 'adaptive' } }, ['thinking', 'text']],
    [{ thinking: { type: 'enabled', budget_tokens: 1024 } }, ['thinking', 'text']],
  ])('appears according to the request: %j results in the blocks %j', async (body, types) => {
    expect((await whole(reply, body)).content.map(({ type }) => type)).toEqual(types);
    const events = await streamed(chunksOf(reply), body);
    expect(events.flatMap((event) => (event.type === 'content_block_start' ? event.content_block.type : []))).toEqual(
      types,
    );
  });

  it('may be the whole message, without text', async () => {
    expect(await whole({ reasoning: 'Hm' }, {})).toMatchObject({ content: [], stop_reason: 'end_turn' });
    const events = await streamed(chunksOf({ reasoning: 'Hm' }), {});
    expect(events.map(({ type }) => type)).toEqual(['message_start', 'message_delta']);
  });
});

it('the usage reports cached tokens separately from the input, and reasoning tokens', async () => {
  const counts = {
    prompt_tokens: 100,
    completion_tokens: 20,
    cached_tokens: 60,
    cache_write_tokens: 30,
    reasoning_tokens: 5,
  };
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: 60,
    cache_creation_input_tokens: 30,
    output_tokens: 20,
    output_tokens_details: { thinking_tokens: 5 },
  };
  expect(await whole({ text: 'Hi', usage: counts }, {})).toMatchObject({ usage });
  expect((await streamed(chunksOf({ text: 'Hi', usage: counts }), {})).at(-1)).toMatchObject({ usage });
});

it('a request that disables parallel calls receives only the first', async () => {
  const reply: Reply = {
    calls: [
      ['get_weather', '{}'],
      ['get_time', '{}'],
    ],
  };
  const body = { tools, tool_choice: { type: 'auto', disable_parallel_tool_use: true } };
  expect((await whole(reply, body)).content).toMatchObject([{ name: 'get_weather' }]);
  const events = await streamed(chunksOf(reply), body);
  expect(events.filter(({ type }) => type === 'content_block_start')).toHaveLength(1);
});
