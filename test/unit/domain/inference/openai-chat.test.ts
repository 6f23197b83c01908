import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { OpenAiChatRequest } from '#contract/inference/openai-chat.ts';
import { toModelRequest } from '#domain/inference/chat.ts';
import { specifiedChat } from '#domain/inference/chat-format.ts';
import { type ChatFormat, chatChunks, chatReply } from '#domain/inference/chat-response.ts';
import { conversationOfOpenAi } from '#domain/inference/conversation.ts';
import { DeliveredText } from '#domain/inference/delivered-text.ts';
import type { ModelChunk } from '#domain/inference/model-stream.ts';
import { openAiChat } from '#domain/inference/openai-chat.ts';
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

const asked = (body: object) => v.parse(OpenAiChatRequest, { model: 'svc-1', messages: [user], ...body });
const modelRequest = (body: object) => toModelRequest(conversationOfOpenAi(asked(body)), 100);

describe('what the model is sent of', () => {
  it.each<[string, object, object[]]>([
    ['a system message', { role: 'system', content: 'Be kind' }, [{ role: 'system', content: 'Be kind' }]],
    ['a developer message', { role: 'developer', content: 'Be kind' }, [{ role: 'system', content: 'Be kind' }]],
    [
      'text parts',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
      [{ role: 'user', content: 'one\ntwo' }],
    ],
    [
      'an assistant message',
      { role: 'assistant', content: 'Yes', refusal: null, annotations: [] },
      [{ role: 'assistant', content: 'Yes' }],
    ],
    [
      'an assistant message that refuses',
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] },
      [{ role: 'assistant', content: 'No' }],
    ],
    [
      'a function call',
      { role: 'assistant', content: null, function_call: { name: 'get_weather', arguments: '{}' } },
      [{ role: 'assistant', content: null, tool_calls: [call('call_0')] }],
    ],
  ])('%s', (_, message, expected) => {
    expect(modelRequest({ messages: [message] }).messages).toEqual(expected);
  });

  it('tool calls and their results, by their ids, with the names of the tools', () => {
    const calling = { role: 'assistant', content: null, tool_calls: [call('a'), call('b', 'get_time')] };
    const results = [
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'noon' }] },
      { role: 'tool', tool_call_id: 'a', content: 'clear' },
    ];
    expect(modelRequest({ messages: [user, calling, ...results] }).messages).toEqual([
      user,
      calling,
      { role: 'tool', tool_call_id: 'b', name: 'get_time', content: 'noon' },
      { role: 'tool', tool_call_id: 'a', name: 'get_weather', content: 'clear' },
    ]);
  });

  it('a function result, as the answer to the call before it', () => {
    const called = { role: 'assistant', content: null, function_call: { name: 'get_weather', arguments: '{}' } };
    const { messages } = modelRequest({
      messages: [user, called, { role: 'function', name: 'get_weather', content: 'clear' }],
    });
    expect(messages[2]).toEqual({ role: 'tool', tool_call_id: 'call_1', name: 'get_weather', content: 'clear' });
    expect(messages[1]).toMatchObject({ tool_calls: [{ id: 'call_1' }] });
  });

  const named = { type: 'function', function: { name: 'get_time' } };
  it.each<[string, object, unknown]>([
    ['tools alone', { tools }, 'auto'],
    ['auto', { tools, tool_choice: 'auto' }, 'auto'],
    ['none', { tools, tool_choice: 'none' }, 'none'],
    ['required', { tools, tool_choice: 'required' }, 'required'],
    ['a named tool', { tools, tool_choice: named }, named],
    ['functions alone', { functions: [weather, time] }, 'auto'],
    ['function_call none', { functions: [weather, time], function_call: 'none' }, 'none'],
    ['a named function', { functions: [weather, time], function_call: { name: 'get_time' } }, named],
  ])('the choice of tools: %s', (_, body, tool_choice) => {
    const request = modelRequest(body);
    expect(request['tool_choice']).toEqual(tool_choice);
    expect(request['tools']).toEqual([weather, time].map((offered) => ({ type: 'function', function: offered })));
  });

  it.each<[object, object]>([
    [{ stop: 'END' }, { stop: ['END'] }],
    [{ seed: 7 }, { seed: 7 }],
    [{ response_format: { type: 'json_object' } }, { response_format: { type: 'json_object' } }],
    [{ tools, parallel_tool_calls: false }, { parallel_tool_calls: false }],
    [
      { temperature: null, top_p: null },
      { temperature: 1, top_p: 1, top_k: 50 },
    ],
  ])('%j', (body, expected) => {
    expect(modelRequest(body)).toMatchObject(expected);
  });

  it('a JSON schema, as it is', () => {
    const response_format = {
      type: 'json_schema',
      json_schema: { name: 'x', schema: { type: 'object' }, strict: true },
    };
    expect(modelRequest({ response_format })['response_format']).toEqual(response_format);
  });

  it('nothing else', () => {
    const more = {
      response_format: { type: 'text' },
      tools: [],
      parallel_tool_calls: true,
      seed: null,
      stop: null,
      n: 1,
      user: 'someone',
      logprobs: true,
      store: false,
      metadata: {},
      stream_options: { include_usage: true },
      reasoning_effort: 'low',
    };
    expect(Object.keys(modelRequest(more)).toSorted()).toEqual(Object.keys(modelRequest({})).toSorted());
  });

  it.each([
    [{ max_tokens: 5 }, 5],
    [{ max_completion_tokens: 6 }, 6],
    [{ max_tokens: 5, max_completion_tokens: 6 }, 6],
    [{ max_tokens: null }, undefined],
  ])('output tokens: %j', (body, expected) => {
    expect(conversationOfOpenAi(asked(body)).maxTokens).toBe(expected);
  });
});

const about = { id: 'chatcmpl-1', created: 7, model: 'svc-1' };
const usage = { prompt_tokens: 3, completion_tokens: 4 };
const total = { ...usage, total_tokens: 7 };
const chunkOf = (delta: object, finish_reason?: string): ModelChunk => ({ choices: [{ delta, finish_reason }] });
const opened = (index: number, id: string, name: string) => ({ index, id, function: { name, arguments: '' } });
const more = (index: number, text: string) => ({ index, function: { arguments: text } });

async function streamed(chunks: readonly ModelChunk[], format: ChatFormat<unknown>): Promise<any[]> {
  async function* source() {
    yield* chunks;
  }
  const onUsage = async () => usage;
  const all = chatChunks({
    chunks: source(),
    format,
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
    const chunks = await streamed(calls, openAiChat(asked({ tools })));
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

  it('has only the first call where one was asked for', async () => {
    const names = (chunks: any[]) => JSON.stringify(chunks).match(/get_\w+/g);
    expect(names(await streamed(calls, openAiChat(asked({ tools, parallel_tool_calls: false }))))).toEqual([
      'get_weather',
    ]);
    const functions = await streamed(calls, openAiChat(asked({ functions: [weather, time] })));
    expect(names(functions)).toEqual(['get_weather']);
    expect(functions.map(({ choices }) => choices[0].delta.function_call?.arguments ?? '').join('')).toBe('{"x":1}');
    expect(functions.at(-1).choices[0].finish_reason).toBe('function_call');
    expect(names(await streamed(calls, specifiedChat))).toEqual(['get_weather']);
  });

  it('says the role and the end also when nothing was said', async () => {
    const chunks = await streamed([chunkOf({}, 'stop')], openAiChat(asked({})));
    expect(chunks.map(({ choices }) => choices[0])).toEqual([
      choiceOf({ role: 'assistant', content: '', refusal: null }),
      choiceOf({}, 'stop'),
    ]);
  });

  it('tells the usage after the end, to those who ask', async () => {
    const chunks = await streamed(
      [chunkOf({ content: 'Hi' }, 'stop')],
      openAiChat(asked({ stream_options: { include_usage: true } })),
    );
    expect(chunks.at(-1)).toEqual({ ...about, object: 'chat.completion.chunk', choices: [], usage: total });
    expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual([null, null, null]);
    const silent = await streamed([chunkOf({ content: 'Hi' }, 'stop')], openAiChat(asked({})));
    expect(JSON.stringify(silent)).not.toContain('usage');
  });

  it.each(['length', 'content_filter'])('that ended by %s says so, for the call may not be whole', async (reason) => {
    const cut = [...calls.slice(0, 3), chunkOf({}, reason)];
    expect((await streamed(cut, openAiChat(asked({ tools })))).at(-1).choices[0].finish_reason).toBe(reason);
    expect((await streamed(cut, specifiedChat)).at(-1).choices[0].finish_reason).toBe(reason);
  });

  it('put together is what a whole answer is, however it was cut', async () => {
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
          const format = openAiChat(asked({ tools }));
          const tool_calls = parts.map(({ id, name, pieces }) => ({
            id,
            function: { name, arguments: pieces.join('') },
          }));
          const reply = { choices: [{ message: { content: texts.join(''), tool_calls }, finish_reason: 'stop' }] };
          const [whole] = format.body(chatReply(reply, usage, about, format.maxCalls), about).choices;
          expect(assembled(await streamed(chunks, format))).toEqual(whole);
        },
      ),
      { numRuns: 100 },
    );
  });
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
  const said = calls.length > 0 ? { content: content || null, tool_calls: calls } : { content };
  const message = { role: 'assistant', refusal: null, ...said };
  return { index: 0, message, logprobs: null, finish_reason: chunks.at(-1).choices[0].finish_reason };
}

describe('a request is refused for', () => {
  const image = { type: 'image_url', image_url: { url: 'data:,' } };
  it.each<[string, object, string, RegExp]>([
    [
      'an image',
      { messages: [{ role: 'user', content: [image] }] },
      'messages.0.content',
      /images, audio and files are not taken/,
    ],
    [
      'no parts',
      { messages: [{ role: 'user', content: [] }] },
      'messages.0.content',
      /must be well-formed Unicode or a list of text parts/,
    ],
    [
      'a role nobody knows',
      { messages: [{ role: 'wizard', content: 'x' }] },
      'messages.0.role',
      /developer, user, assistant, tool/,
    ],
    [
      'an assistant without anything',
      { messages: [{ role: 'assistant', content: null, tool_calls: [] }] },
      'messages.0',
      /must have content/,
    ],
    [
      'a result without its call',
      { messages: [user, { role: 'tool', tool_call_id: 'a', content: 'x' }] },
      'messages',
      /the tool call that it responds to/,
    ],
    ['two answers', { n: 2 }, 'n', /must be 1/],
    ['another kind of tool', { tools: [{ type: 'web_search' }] }, 'tools.0.type', /must be function/],
    ['129 tools', { tools: Array.from({ length: 129 }, () => tools[1]) }, 'tools', /at most 128 tools/],
    ['tools beside functions', { tools, functions: [time] }, 'tools', /beside functions/],
    [
      'the choice of a tool not offered',
      { tools, tool_choice: { type: 'function', function: { name: 'x' } } },
      'tool_choice',
      /one of the tools/,
    ],
    ['a required choice of nothing', { tool_choice: 'required' }, 'tool_choice', /one of the tools/],
    ['a choice that is none', { tools, tool_choice: 'any' }, 'tool_choice', /must be none, auto, required/],
    ['the choice of a function not offered', { function_call: { name: 'x' } }, 'function_call', /one of the functions/],
    ['a format nobody knows', { response_format: { type: 'xml' } }, 'response_format.type', /json_schema/],
    [
      'a schema that is none',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: [] } } },
      'response_format.json_schema.schema',
      /JSON schema object/,
    ],
    ['a seed that is none', { seed: -1 }, 'seed', /at least 0/],
    ['stream options that are a list', { stream_options: [] }, 'stream_options', /must be an object/],
    ['max_completion_tokens 0', { max_completion_tokens: 0 }, 'max_completion_tokens', /must be positive/],
  ])('%s', (_, body, path, rule) => {
    const { issues = [] } = v.safeParse(
      OpenAiChatRequest,
      { model: 'svc-1', messages: [user], ...body },
      { abortEarly: true },
    );
    expect(issues.map((issue) => [v.getDotPath(issue), issue.message])).toEqual([[path, expect.stringMatching(rule)]]);
  });
});
