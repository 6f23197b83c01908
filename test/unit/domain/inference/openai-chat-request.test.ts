import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { OpenAiChatRequest } from '#contract/inference/openai.ts';
import { toModelRequest } from '#domain/inference/chat.ts';
import { conversationOfOpenAi } from '#domain/inference/conversation.ts';

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
const modelRequest = (body: object) => toModelRequest(conversationOfOpenAi(parsed(body)), 100);

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

  it('a function result, as the response to the call before it', () => {
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
    expect(conversationOfOpenAi(parsed(body)).maxTokens).toBe(expected);
  });
});

describe('a request is refused for', () => {
  const image = { type: 'image_url', image_url: { url: 'data:,' } };
  it.each<[string, object, string, RegExp]>([
    [
      'an image',
      { messages: [{ role: 'user', content: [image] }] },
      'messages.0.content',
      /images, audio and files are not supported/,
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
    ['two choices', { n: 2 }, 'n', /must be 1/],
    ['another kind of tool', { tools: [{ type: 'web_search' }] }, 'tools.0.type', /must be function/],
    ['129 tools', { tools: Array.from({ length: 129 }, () => tools[1]) }, 'tools', /at most 128 tools/],
    ['tools beside functions', { tools, functions: [time] }, 'tools', /together with functions/],
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
