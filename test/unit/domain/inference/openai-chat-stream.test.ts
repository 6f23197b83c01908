import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { OpenAiChatRequest } from '#contract/inference/openai.ts';
import { chatChunks, type ChatFormat, chatReply, openAiChat, specifiedChat } from '#domain/inference/chat.ts';
import { DeliveredText, type ModelChunk } from '#domain/inference/model-stream.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';

const weather = { name: 'get_weather', description: 'Weather', parameters: { type: 'object' } };
const time = { name: 'get_time' };
const tools = [
  { type: 'function', function: { ...weather, strict: true } },
  { type: 'function', function: time },
];
const user = { role: 'user', content: 'Hi' };
const call = (id: string, name = 'get_weather', text = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

const parsed = (body: object) => v.parse(OpenAiChatRequest, { model: 'svc-1', messages: [user], ...body });

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
  const onUsage = async () => usage;
  const all = chatChunks({
    chunks: source(),
    format,
    offered,
    about,
    delivered: new DeliveredText(1000, bpeTokenizer),
    onUsage,
  });
  return Array.fromAsync(all);
}
const choiceOf = (delta: object, finish_reason: string | null = null) => ({
  index: 0,
  delta,
  logprobs: null,
  finish_reason,
});

/** As the clients do it. */
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

describe('a stream', () => {
  const calls = [
    chunkOf({ role: 'assistant', content: null }),
    chunkOf({ tool_calls: [opened(0, 'a', 'get_weather')] }),
    chunkOf({ tool_calls: [more(0, '{"x"')] }),
    chunkOf({ tool_calls: [more(0, ':1}'), opened(1, '', 'get_time')] }),
    chunkOf({ tool_calls: [more(1, '{}')] }),
    chunkOf({}, 'tool_calls'),
  ];

  it('opens each call with its id and name, and goes on by its index', async () => {
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

  it('has only the first call where one was requested', async () => {
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

  it('sends the role and the end also when there was no text', async () => {
    const chunks = await streamed([chunkOf({}, 'stop')], openAiChat(parsed({})));
    expect(chunks.map(({ choices }) => choices[0])).toEqual([
      choiceOf({ role: 'assistant', content: '', refusal: null }),
      choiceOf({}, 'stop'),
    ]);
  });

  it('reports the usage after the end, to those who request it', async () => {
    const chunks = await streamed(
      [chunkOf({ content: 'Hi' }, 'stop')],
      openAiChat(parsed({ stream_options: { include_usage: true } })),
    );
    expect(chunks.at(-1)).toEqual({ ...about, object: 'chat.completion.chunk', choices: [], usage: total });
    expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual([null, null, null]);
    const silent = await streamed([chunkOf({ content: 'Hi' }, 'stop')], openAiChat(parsed({})));
    expect(JSON.stringify(silent)).not.toContain('usage');
  });

  it.each(['length', 'content_filter'])(
    'that ended by %s reports it, for the call may not be whole',
    async (reason) => {
      const cut = [...calls.slice(0, 3), chunkOf({}, reason)];
      expect((await streamed(cut, openAiChat(parsed({ tools })))).at(-1).choices[0].finish_reason).toBe(reason);
      expect((await streamed(cut, specifiedChat)).at(-1).choices[0].finish_reason).toBe(reason);
    },
  );

  it('put together is what a whole response is, however it was cut', async () => {
    const made = fc.record({
      id: fc.string(),
      name: fc.string({ minLength: 1 }),
      pieces: fc.array(fc.string(), { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string(), { maxLength: 5 }),
        fc.array(made, { maxLength: 4 }),
        async (texts, parts) => {
          const chunks = [
            ...texts.map((content) => chunkOf({ content })),
            ...parts.flatMap(({ id, name, pieces }, index) => [
              chunkOf({ tool_calls: [opened(index, id, name)] }),
              ...pieces.map((piece) => chunkOf({ tool_calls: [more(index, piece)] })),
            ]),
            chunkOf({}, parts.length > 0 ? 'tool_calls' : 'stop'),
          ];
          const format = openAiChat(parsed({ tools }));
          const offered = new Set(parts.map(({ name }) => name));
          const tool_calls = parts.map(({ id, name, pieces }) => ({
            id,
            function: { name, arguments: pieces.join('') },
          }));
          const reply = { choices: [{ message: { content: texts.join(''), tool_calls }, finish_reason: 'stop' }] };
          const [whole] = format.body(
            chatReply(reply, usage, about, { maxCalls: format.maxCalls, offered }),
            about,
          ).choices;
          expect(assembled(await streamed(chunks, format, offered))).toEqual(whole);
        },
      ),
      { numRuns: 100 },
    );
  });
});
