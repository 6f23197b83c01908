import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chatChunks, type ChatFormat, chatReply } from '#domain/inference/chat.ts';
import { DeliveredText, type ModelChunk } from '#domain/inference/model-stream.ts';
import { openAiChat } from '#domain/inference/openai-format.ts';
import { specifiedChat } from '#domain/inference/specified-chat.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { call, parsed, time, tools, weather } from '#test/models/openai-tools.ts';

const about = { id: 'chatcmpl-1', created: 7, model: 'svc-1' };
const usage = { prompt_tokens: 3, completion_tokens: 4 };
const total = { ...usage, total_tokens: 7 };
const chunkOf = (delta: object, finish_reason?: string): ModelChunk => ({ choices: [{ delta, finish_reason }] });
const opened = (index: number, id: string, name: string) => ({ index, id, function: { name, arguments: '' } });
const more = (index: number, text: string) => ({ index, function: { arguments: text } });

/** `offered` are the functions that the caller has, other than the usual two. */
async function streamed(
  chunks: readonly ModelChunk[],
  format: ChatFormat<unknown>,
  offered = new Set(['get_weather', 'get_time']),
): Promise<any[]> {
  async function* source() {
    yield* chunks;
  }
  const delivered = new DeliveredText(1000, bpeTokenizer);
  return Array.fromAsync(
    chatChunks({
      chunks: source(),
      format,
      offered,
      about,
      delivered,
      countPrompt: async () => usage.prompt_tokens,
      onUsage: async () => usage,
    }),
  );
}
const choiceOf = (delta: object, finish_reason: string | null = null) => {
  return { index: 0, delta, logprobs: null, finish_reason };
};

/** The message that clients assemble from a stream. */
function assembled(chunks: any[]): unknown {
  let content: string | null = null;
  const calls: any[] = [];
  for (const { choices } of chunks) {
    const { delta } = choices[0];
    if (typeof delta.content === 'string') content = (content ?? '') + delta.content;
    for (const { index, id, type, function: piece } of delta.tool_calls ?? []) {
      calls[index] ??= { id, type, function: { name: piece.name, arguments: '' } };
      calls[index].function.arguments += piece.arguments;
    }
  }
  const delivered = calls.length > 0 ? { content: content || null, tool_calls: calls } : { content };
  const message = { role: 'assistant', refusal: null, ...delivered };
  return { index: 0, message, logprobs: null, finish_reason: chunks.at(-1).choices[0].finish_reason };
}

describe('a chat stream', () => {
  const calls = [
    chunkOf({ role: 'assistant', content: null }),
    chunkOf({ tool_calls: [opened(0, 'a', 'get_weather')] }),
    chunkOf({ tool_calls: [more(0, '{"x"')] }),
    chunkOf({ tool_calls: [more(0, ':1}'), opened(1, '', 'get_time')] }),
    chunkOf({ tool_calls: [more(1, '{}')] }),
    chunkOf({}, 'tool_calls'),
  ];

  it('opens each call with its id and name, and continues it by its index', async () => {
    const chunks = await streamed(calls, openAiChat(parsed({ tools })));
    expect(chunks.map(({ choices }) => choices[0])).toEqual([
      choiceOf({ role: 'assistant', content: null, refusal: null }),
      choiceOf({ tool_calls: [{ index: 0, ...call('a', 'get_weather', '') }] }),
      choiceOf({ tool_calls: [more(0, '{"x"')] }),
      choiceOf({ tool_calls: [more(0, ':1}')] }),
      choiceOf({ tool_calls: [{ index: 1, ...call('chatcmpl-1-call-1', 'get_time', '') }] }),
      choiceOf({ tool_calls: [more(1, '{}')] }),
      choiceOf({}, 'tool_calls'),
    ]);
  });

  it('contains only the first call unless parallel calls were requested', async () => {
    const names = (chunks: any[]) => JSON.stringify(chunks).match(/get_\w+/g);
    expect(names(await streamed(calls, openAiChat(parsed({ tools, parallel_tool_calls: false }))))).toEqual([
      'get_weather',
    ]);
    const functions = await streamed(calls, openAiChat(parsed({ functions: [weather, time] })));
    expect(names(functions)).toEqual(['get_weather']);
    expect(functions.map(({ choices }) => choices[0].delta.function_call?.arguments ?? '').join('')).toBe('{"x":1}');
    expect(functions.at(-1).choices[0].finish_reason).toBe('function_call');
    expect(names(await streamed(calls, specifiedChat))).toEqual(['get_weather']);
  });

  it.each([
    ['the same index', 0],
    ['no index', undefined],
  ])('separates calls with %s by their ids', async (_, index) => {
    const sent = (id: string, name: string) => ({ index, id, function: { name, arguments: '{' } });
    const parts = [sent('a', 'get_weather'), more(index ?? 0, '}'), sent('b', 'get_time'), more(index ?? 0, '}')];
    const chunks = [...parts.map((part) => chunkOf({ tool_calls: [part] })), chunkOf({}, 'tool_calls')];
    expect(assembled(await streamed(chunks, openAiChat(parsed({ tools }))))).toMatchObject({
      message: { tool_calls: [call('a', 'get_weather', '{}'), call('b', 'get_time', '{}')] },
    });
  });

  it('begins with the opening chunks of its format, followed by reasoning and text', async () => {
    const chunks = [{ reasoning: 'Hm' }, { content: 'Hi' }].map((delta) => chunkOf(delta));
    const format: ChatFormat<unknown> = {
      ...specifiedChat,
      openingChunks: async (_, countPrompt) => [['opened', await countPrompt()]],
      pieceChunks: (piece, _, isFirst) => [[piece, isFirst]],
      reasoningChunks: (reasoning, _, isFirst) => [[reasoning, isFirst]],
      endChunks: (_, __, isFirst) => [['end', isFirst]],
    };
    expect(await streamed(chunks, format)).toEqual([
      ['opened', 3],
      ['Hm', true],
      [{ content: 'Hi' }, false],
      ['end', false],
    ]);
    expect(JSON.stringify(await streamed(chunks, specifiedChat))).not.toContain('Hm');
  });

  it('sends role and finish reason even without text', async () => {
    const chunks = await streamed([chunkOf({}, 'stop')], openAiChat(parsed({})));
    expect(chunks.map(({ choices }) => choices[0])).toEqual([
      choiceOf({ role: 'assistant', content: '', refusal: null }),
      choiceOf({}, 'stop'),
    ]);
  });

  it('reports the usage last if it was requested', async () => {
    const reporting = openAiChat(parsed({ stream_options: { include_usage: true } }));
    const chunks = await streamed([chunkOf({ content: 'Hi' }, 'stop')], reporting);
    expect(chunks.at(-1)).toEqual({ ...about, object: 'chat.completion.chunk', choices: [], usage: total });
    expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual([null, null, null]);
    const silent = await streamed([chunkOf({ content: 'Hi' }, 'stop')], openAiChat(parsed({})));
    expect(JSON.stringify(silent)).not.toContain('usage');
  });

  it.each(['length', 'content_filter'])('reports the finish reason %s of a truncated call', async (reason) => {
    const cut = [...calls.slice(0, 3), chunkOf({}, reason)];
    expect((await streamed(cut, openAiChat(parsed({ tools })))).at(-1).choices[0].finish_reason).toBe(reason);
    expect((await streamed(cut, specifiedChat)).at(-1).choices[0].finish_reason).toBe(reason);
  });

  it('assembles to the whole response, however its text is split', async () => {
    const pieces = fc.array(fc.string(), { maxLength: 4 });
    const made = fc.record({ id: fc.string(), name: fc.string({ minLength: 1 }), pieces });
    const texts = fc.array(fc.string(), { maxLength: 5 });
    const property = fc.asyncProperty(texts, fc.array(made, { maxLength: 4 }), async (contents, parts) => {
      const chunks = [
        ...contents.map((content) => chunkOf({ content })),
        ...parts.flatMap(({ id, name, pieces: cut }, index) => [
          chunkOf({ tool_calls: [opened(index, id, name)] }),
          ...cut.map((piece) => chunkOf({ tool_calls: [more(index, piece)] })),
        ]),
        chunkOf({}, parts.length > 0 ? 'tool_calls' : 'stop'),
      ];
      const format = openAiChat(parsed({ tools }));
      const offered = new Set(parts.map(({ name }) => name));
      const functions = parts.map(({ id, name, pieces: cut }) => ({ id, name, arguments: cut.join('') }));
      const tool_calls = functions.map(({ id, ...called }) => ({ id, function: called }));
      const reply = { choices: [{ message: { content: contents.join(''), tool_calls }, finish_reason: 'stop' }] };
      const whole = chatReply(reply, usage, about, { maxCalls: format.maxCalls, offered });
      expect(assembled(await streamed(chunks, format, offered))).toEqual(format.body(whole, about).choices[0]);
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
