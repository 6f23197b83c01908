import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { OpenAiChatRequest } from '#contract/inference/openai.ts';
import { toModelRequest } from '#domain/inference/chat.ts';
import { conversationOfOpenAi } from '#domain/inference/conversation.ts';
import { call, parsed, time, tools, user, weather } from '#test/models/openai-tools.ts';

const calling = { role: 'assistant', content: null, function_call: { name: 'get_weather', arguments: '{}' } };
const part = (text: string) => ({ type: 'text', text });
const said = (content: string) => ({ role: 'assistant', content });

const modelRequest = (body: object) => toModelRequest(conversationOfOpenAi(parsed(body)), 100);

describe('a request to a model', () => {
  it.each<[what: string, message: object, sent: object]>([
    ['a system message', { role: 'system', content: 'Be kind' }, { role: 'system', content: 'Be kind' }],
    ['a developer message', { role: 'developer', content: 'Be kind' }, { role: 'system', content: 'Be kind' }],
    ['text parts', { role: 'user', content: [part('one'), part('two')] }, { role: 'user', content: 'one\ntwo' }],
    ['an assistant message', { ...said('Yes'), refusal: null, annotations: [] }, said('Yes')],
    ['a refusal', { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] }, said('No')],
    ['a function call', calling, { role: 'assistant', content: null, tool_calls: [call('call_0')] }],
  ])('contains %s', (_, message, sent) => {
    expect(modelRequest({ messages: [message] }).messages).toEqual([sent]);
  });

  it('contains tool calls and their results by id, with the names of their tools', () => {
    const calls = { role: 'assistant', content: null, tool_calls: [call('a'), call('b', 'get_time')] };
    const results = [
      { role: 'tool', tool_call_id: 'b', content: [part('noon')] },
      { role: 'tool', tool_call_id: 'a', content: 'clear' },
    ];
    expect(modelRequest({ messages: [user, calls, ...results] }).messages).toEqual([
      user,
      calls,
      { role: 'tool', tool_call_id: 'b', name: 'get_time', content: 'noon' },
      { role: 'tool', tool_call_id: 'a', name: 'get_weather', content: 'clear' },
    ]);
  });

  it('contains a function result as the result of the preceding call', () => {
    const result = { role: 'function', name: 'get_weather', content: 'clear' };
    expect(modelRequest({ messages: [user, calling, result] }).messages).toMatchObject([
      user,
      { tool_calls: [{ id: 'call_1' }] },
      { role: 'tool', tool_call_id: 'call_1', name: 'get_weather', content: 'clear' },
    ]);
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
  ])('contains the tools and the choice of %s', (_, body, tool_choice) => {
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
  ])('contains the setting %j', (body, expected) => {
    expect(modelRequest(body)).toMatchObject(expected);
  });

  it('contains a JSON schema unchanged', () => {
    const json_schema = { name: 'x', schema: { type: 'object' }, strict: true };
    const response_format = { type: 'json_schema', json_schema };
    expect(modelRequest({ response_format })['response_format']).toEqual(response_format);
  });

  it('contains no other fields', () => {
    const more = {
      response_format: { type: 'text' },
      tools: [],
      parallel_tool_calls: true,
      seed: null,
      stop: null,
      n: 1,
      user: 'someone',
      logprobs: false,
      top_logprobs: null,
      store: false,
      metadata: {},
      stream_options: { include_usage: true },
      service_tier: 'auto',
      modalities: ['text'],
      verbosity: 'medium',
      audio: null,
    };
    expect(Object.keys(modelRequest(more)).toSorted()).toEqual(Object.keys(modelRequest({})).toSorted());
  });

  it.each([
    { logprobs: true, top_logprobs: 3 },
    { logit_bias: { '50256': -100, '1': 2.5 } },
    { reasoning_effort: 'minimal' },
    { min_p: 0.05, repetition_penalty: 1.1 },
  ])('contains options of containers unchanged: %j', (options) => {
    expect(modelRequest(options)).toMatchObject(options);
  });

  it('offers only the allowed tools', () => {
    const allowed = (mode: string) => ({
      tools,
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode, tools: [{ type: 'function', function: time }] } },
    });
    for (const mode of ['auto', 'required']) {
      const sent = modelRequest(allowed(mode));
      expect([sent['tools'], sent['tool_choice']]).toEqual([[{ type: 'function', function: time }], mode]);
      expect(conversationOfOpenAi(parsed(allowed(mode))).functions).toEqual([time]);
    }
  });

  it.each([
    [{ role: 'assistant', content: null }, ''],
    [{ role: 'assistant' }, ''],
    [{ role: 'assistant', content: null, refusal: 'No.' }, 'No.'],
    [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'a' },
          { type: 'refusal', refusal: 'b' },
        ],
      },
      'a\nb',
    ],
  ])('contains the text of an earlier response: %j', (message, content) => {
    expect(modelRequest({ messages: [user, message, user] }).messages[1]).toEqual({ role: 'assistant', content });
  });

  it.each([
    [{ max_tokens: 5 }, 5],
    [{ max_completion_tokens: 6 }, 6],
    [{ max_tokens: 5, max_completion_tokens: 6 }, 6],
    [{ max_tokens: null }, undefined],
  ])('limits the output according to %j', (body, expected) => {
    expect(conversationOfOpenAi(parsed(body)).maxTokens).toBe(expected);
  });
});

describe('a request', () => {
  const image = { type: 'image_url', image_url: { url: 'data:,' } };
  const saying = (message: object) => ({ messages: [message] });
  const parts = (content: object[]) => saying({ role: 'user', content });
  const format = (type: string, more = {}) => ({ response_format: { type, ...more } });
  const other = { type: 'function', function: { name: 'x' } };
  const result = { role: 'tool', tool_call_id: 'a', content: 'x' };
  it.each<[string, object, string, RegExp]>([
    ['an image', parts([image]), 'messages.0.content', /images, audio and files are not supported/],
    ['no parts', parts([]), 'messages.0.content', /must be well-formed Unicode or a list of text parts/],
    [
      'an unknown role',
      saying({ role: 'wizard', content: 'x' }),
      'messages.0.role',
      /developer, user, assistant, tool/,
    ],
    ['no content', saying({ role: 'user', content: null }), 'messages.0.content', /must be well-formed Unicode/],
    ['audio', parts([{ type: 'input_audio', input_audio: {} }]), 'messages.0.content', /images, audio and files/],
    ['a file', parts([{ type: 'file', file: {} }]), 'messages.0.content', /images, audio and files/],
    ['a result without its call', { messages: [user, result] }, 'messages', /the tool call with the same id/],
    ['no choice', { n: 0 }, 'n', /must be positive/],
    ['nine choices', { n: 9 }, 'n', /must be at most 8/],
    ['audio output', { modalities: ['text', 'audio'] }, 'modalities.1', /only generate text/],
    ['an audio voice', { audio: { voice: 'nova', format: 'mp3' } }, 'audio', /is not supported/],
    ['a web search', { web_search_options: {} }, 'web_search_options', /is not supported/],
    ['a verbosity', { verbosity: 'low' }, 'verbosity', /must be medium/],
    ['a grammar of vLLM', { guided_json: {} }, 'guided_json', /is not supported/],
    ['top log probabilities alone', { top_logprobs: 2 }, 'top_logprobs', /requires logprobs to be true/],
    ['21 top log probabilities', { logprobs: true, top_logprobs: 21 }, 'top_logprobs', /at most 20/],
    ['a bias of a word', { logit_bias: { hello: 1 } }, 'logit_bias', /token ids/],
    ['a large bias', { logit_bias: { '1': 101 } }, 'logit_bias', /-100 to 100/],
    ['an unknown effort', { reasoning_effort: 'huge' }, 'reasoning_effort', /must be none/],
    ['min_p above 1', { min_p: 1.1 }, 'min_p', /at most 1/],
    [
      'an allowed tool that is not offered',
      { tools, tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [other] } } },
      'tool_choice',
      /one of the tools/,
    ],
    [
      'no allowed tools',
      { tools, tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } } },
      'tool_choice',
      /allowed_tools/,
    ],
    ['another kind of tool', { tools: [{ type: 'web_search' }] }, 'tools.0.type', /must be function/],
    ['129 tools', { tools: Array.from({ length: 129 }, () => tools[1]) }, 'tools', /at most 128 tools/],
    ['tools together with functions', { tools, functions: [time] }, 'tools', /together with functions/],
    ['the choice of a tool not offered', { tools, tool_choice: other }, 'tool_choice', /one of the tools/],
    ['a required choice of nothing', { tool_choice: 'required' }, 'tool_choice', /one of the tools/],
    ['an unknown choice', { tools, tool_choice: 'any' }, 'tool_choice', /must be none, auto, required/],
    ['the choice of a function not offered', { function_call: { name: 'x' } }, 'function_call', /one of the functions/],
    ['an unknown format', format('xml'), 'response_format.type', /json_schema/],
    [
      'an invalid schema',
      format('json_schema', { json_schema: { name: 'x', schema: [] } }),
      'response_format.json_schema.schema',
      /JSON schema object/,
    ],
    ['an invalid seed', { seed: -1 }, 'seed', /at least 0/],
    ['stream options that are a list', { stream_options: [] }, 'stream_options', /must be an object/],
    [
      'too many log probabilities',
      { n: 8, logprobs: true, top_logprobs: 20, max_tokens: 2000 },
      'top_logprobs',
      /n × top_logprobs × max_tokens may be at most 200000/,
    ],
    [
      'too many log probabilities without alternatives',
      { n: 8, logprobs: true, max_tokens: 30_000 },
      'top_logprobs',
      /top_logprobs counts as at least 1/,
    ],
    ['max_completion_tokens 0', { max_completion_tokens: 0 }, 'max_completion_tokens', /must be positive/],
  ])('is refused for %s', (_, body, path, rule) => {
    const sent = { model: 'svc-1', messages: [user], ...body };
    const { issues = [] } = v.safeParse(OpenAiChatRequest, sent, { abortEarly: true });
    expect(issues.map((issue) => [v.getDotPath(issue), issue.message])).toEqual([[path, expect.stringMatching(rule)]]);
  });
});
