import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { AnthropicRequest } from '#contract/inference/anthropic.ts';
import { conversationOfAnthropic } from '#domain/inference/anthropic-chat.ts';
import { toModelRequest } from '#domain/inference/chat.ts';

const user = { role: 'user', content: 'Hi' };
const input_schema = { type: 'object', properties: { city: { anyOf: [{ const: 'Oslo' }] } } };
const weather = { name: 'get_weather', description: 'Weather', input_schema };
const time = { name: 'get_time', input_schema: {}, type: 'custom', strict: true, cache_control: { type: 'ephemeral' } };
const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 5 };
const tools = [weather, time];
const text = (content: string) => ({
  type: 'text',
  text: content,
  cache_control: { type: 'ephemeral' },
  citations: null,
});
const use = (id: string, input: unknown = {}, name = 'get_weather') => ({ type: 'tool_use', id, name, input });
const result = (id: string, content: unknown, more: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
});
const thinking = { type: 'thinking', thinking: 'Hm', signature: 'x' };
const redacted = { type: 'redacted_thinking', data: 'x' };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } };
const said = (...content: unknown[]) => ({ role: 'assistant', content });
const asked = (...content: unknown[]) => ({ role: 'user', content });

const bodyOf = (more: object) => ({ model: 'svc-1', max_tokens: 100, messages: [user], ...more });
const conversation = (more: object) => conversationOfAnthropic(v.parse(AnthropicRequest, bodyOf(more)));
const modelRequest = (more: object) => toModelRequest(conversation(more), 100);
const called = (id: string, args = '{}', name = 'get_weather') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const spoken = (role: string, content: string | null) => ({ role, content });

describe('a request to a model', () => {
  it.each<[what: string, more: object, sent: object[]]>([
    ['a system text', { system: 'Be kind' }, [spoken('system', 'Be kind'), user]],
    ['system blocks', { system: [text('Be'), text('kind')] }, [spoken('system', 'Be\nkind'), user]],
    ['no system message for an empty one', { system: '' }, [user]],
    [
      'a message of role system',
      { messages: [user, { role: 'system', content: [text('Now')] }, user] },
      [user, spoken('system', 'Now'), user],
    ],
    ['blocks of text', { messages: [asked(text('one'), text(''), text('two'))] }, [spoken('user', 'one\ntwo')]],
    ['an assistant message', { messages: [user, said(text('Yes')), user] }, [user, spoken('assistant', 'Yes'), user]],
    [
      'no reasoning',
      { messages: [user, said(thinking, redacted, text('Yes')), user] },
      [user, spoken('assistant', 'Yes'), user],
    ],
  ])('contains %s', (_, more, sent) => {
    expect(modelRequest(more).messages).toEqual(sent);
  });

  it('contains calls, and their results before the other text of a message', () => {
    const messages = [
      user,
      said(text('Let me see'), use('a', { city: 'Oslo' }), use('b')),
      asked(text('And?'), result('b', [text('no'), text('wind')], { is_error: true }), result('a', 'rain')),
      said(use('c')),
      asked(result('c', undefined)),
    ];
    expect(modelRequest({ messages }).messages).toEqual([
      user,
      { ...spoken('assistant', 'Let me see'), tool_calls: [called('a', '{"city":"Oslo"}'), called('b')] },
      { role: 'tool', tool_call_id: 'b', name: 'get_weather', content: 'Error: no\nwind' },
      { role: 'tool', tool_call_id: 'a', name: 'get_weather', content: 'rain' },
      spoken('user', 'And?'),
      { ...spoken('assistant', null), tool_calls: [called('c')] },
      { role: 'tool', tool_call_id: 'c', name: 'get_weather', content: '' },
    ]);
  });

  const named = { type: 'function', function: { name: 'get_time' } };
  it.each<[object | null, unknown]>([
    [null, 'auto'],
    [{ type: 'auto' }, 'auto'],
    [{ type: 'any' }, 'required'],
    [{ type: 'none' }, 'none'],
    [{ type: 'tool', name: 'get_time' }, named],
  ])('contains the tools with their schemas unchanged, and the choice %j', (tool_choice, sent) => {
    const request = modelRequest({ tools, tool_choice });
    expect(request['tool_choice']).toEqual(sent);
    expect(request['tools']).toEqual([
      { type: 'function', function: { name: 'get_weather', description: 'Weather', parameters: input_schema } },
      { type: 'function', function: { name: 'get_time', parameters: {} } },
    ]);
  });

  it('contains the settings', () => {
    const choice = { type: 'auto', disable_parallel_tool_use: true };
    const settings = { temperature: 0.5, top_p: 0.9, top_k: 7, stop_sequences: ['END'], tools, tool_choice: choice };
    const sent = { temperature: 0.5, top_p: 0.9, top_k: 7, stop: ['END'], parallel_tool_calls: false };
    expect(modelRequest(settings)).toMatchObject(sent);
    const output_config = { format: { type: 'json_schema', schema: input_schema }, effort: 'high' };
    const json_schema = { name: 'output', schema: input_schema, strict: true };
    expect(modelRequest({ output_config })).toMatchObject({ response_format: { type: 'json_schema', json_schema } });
  });

  it('contains no other fields', () => {
    const more = {
      tools: [],
      tool_choice: { type: 'none' },
      thinking: { type: 'adaptive' },
      context_management: { edits: [] },
      output_config: { effort: 'max', task_budget: 5 },
      metadata: { user_id: 'x' },
      service_tier: 'auto',
      mcp_servers: [],
      container: null,
      made_up: true,
    };
    expect(Object.keys(modelRequest(more)).toSorted()).toEqual(Object.keys(modelRequest({})).toSorted());
  });

  it('leaves out tools of other types', () => {
    const { functions, toolsLeftOut } = conversation({ tools: [search, weather, search, { type: 'mcp_toolset' }] });
    expect([functions.map(({ name }) => name), toolsLeftOut]).toEqual([['get_weather'], ['web_search', 'mcp_toolset']]);
    expect(conversation({ tools }).toolsLeftOut).toBeUndefined();
  });

  it.each(['claude-sonnet-5', 'svc-embed', ''.padEnd(256, 'x')])('is not made for the model %s', (model) => {
    expect(() => conversation({ model })).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });
});

describe('a request', () => {
  const saying = (...content: unknown[]) => ({ messages: [asked(...content)] });
  it.each<[string, object, string, RegExp]>([
    [
      'an image',
      saying(text('x'), image),
      'messages.0.content',
      /block: 1\.type must be text or tool_result; images, documents/,
    ],
    [
      'a document',
      saying({ type: 'document', source: {} }),
      'messages.0.content',
      /block: 0\.type must be text or tool_result/,
    ],
    ['a call by the user', saying(use('a')), 'messages.0.content', /block: 0\.type must be text or tool_result/],
    [
      'a block of a server tool',
      { messages: [said({ type: 'server_tool_use' }), user] },
      'messages.0.content',
      /blocks of server tools are not supported/,
    ],
    [
      'an image in a result',
      { messages: [user, said(use('a')), asked(result('a', [image]))] },
      'messages.2.content',
      /block: 0\.content has an invalid block: 0\.type must be text/,
    ],
    ['a block without its text', saying({ type: 'text' }), 'messages.0.content', /block: 0\.text is required/],
    [
      'an input that is not an object',
      { messages: [said(use('a', [1])), user] },
      'messages.0.content',
      /0\.input must be an object/,
    ],
    ['no content', { messages: [{ role: 'user' }] }, 'messages.0.content', /./],
    [
      'a number as content',
      { messages: [{ role: 'user', content: 5 }] },
      'messages.0.content',
      /must be well-formed Unicode or a list of blocks/,
    ],
    ['an unknown role', { messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role', /user, assistant or system/],
    ['no messages', { messages: [] }, 'messages', /must not be empty/],
    [
      'a result without its call',
      { messages: [user, asked(result('a', 'x'))] },
      'messages',
      /the tool_use with the same id before each tool_result/,
    ],
    [
      'a last message of the assistant',
      { messages: [user, said(text('{'))] },
      'messages',
      /must not end with an assistant message/,
    ],
    ['no max_tokens', { max_tokens: undefined }, 'max_tokens', /./],
    ['max_tokens 0', { max_tokens: 0 }, 'max_tokens', /must be positive/],
    ['a temperature above 1', { temperature: 1.1 }, 'temperature', /at most 1/],
    ['5 stop sequences', { stop_sequences: ['a', 'b', 'c', 'd', 'e'] }, 'stop_sequences', /at most 4/],
    ['129 tools', { tools: Array.from({ length: 129 }, () => weather) }, 'tools', /at most 128 tools/],
    ['a tool without a schema', { tools: [{ name: 'x' }] }, 'tools.0.input_schema', /is required/],
    ['a tool without a name', { tools: [{ input_schema }] }, 'tools.0.name', /is required/],
    [
      'the choice of a tool not offered',
      { tools, tool_choice: { type: 'tool', name: 'x' } },
      'tool_choice',
      /must match a tool with an input_schema/,
    ],
    [
      'the choice of a tool left out',
      { tools: [search, weather], tool_choice: { type: 'tool', name: 'web_search' } },
      'tool_choice',
      /must match a tool with an input_schema/,
    ],
    [
      'any of no served tools',
      { tools: [search], tool_choice: { type: 'any' } },
      'tool_choice',
      /must match a tool with an input_schema/,
    ],
    ['an unknown choice', { tools, tool_choice: { type: 'required' } }, 'tool_choice.type', /auto, any, tool or none/],
    ['an unknown kind of thinking', { thinking: { type: 'deep' } }, 'thinking.type', /must be enabled, adaptive/],
    [
      'another output format',
      { output_config: { format: { type: 'xml' } } },
      'output_config.format.type',
      /must be json_schema/,
    ],
    [
      'the former output format',
      { output_format: { type: 'json_schema' } },
      'output_format',
      /use output_config.format/,
    ],
    ['a server of MCP', { mcp_servers: [{ type: 'url' }] }, 'mcp_servers', /MCP is not supported/],
    ['a container', { container: 'c' }, 'container', /is not supported/],
    ['a thread', { thread: { type: 'create' } }, 'thread', /send the messages/],
    ['a place of inference', { inference_geo: 'us' }, 'inference_geo', /is not supported/],
  ])('is refused for %s', (_, more, path, rule) => {
    const { issues = [] } = v.safeParse(AnthropicRequest, bodyOf(more), { abortEarly: true });
    expect(issues.map((issue) => [v.getDotPath(issue), issue.message])).toEqual([[path, expect.stringMatching(rule)]]);
  });

  it.each(['messages/messages', 'beta/messages/messages'])(
    'has a rule for every parameter of the official client in %s',
    (file) => {
      const types = readFileSync(`node_modules/@anthropic-ai/sdk/resources/${file}.d.ts`, 'utf8');
      const [, body = ''] = types.split(/^export interface MessageCreateParamsBase .*\{$/m);
      const [own = ''] = body.split(/^\}$/m);
      const parameters = [...own.matchAll(/^ {4}(\w+)\??:/gm)].map(([, field = '']) => field);
      expect(parameters.length).toBeGreaterThan(15);
      // The client sends `betas` as a header.
      expect(parameters.filter((name) => name !== 'betas' && !(name in AnthropicRequest.entries))).toEqual([]);
    },
  );
});
