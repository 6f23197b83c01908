import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { CompactionRequest, offeredFunctions, ResponseRequest, toolsLeftOut } from '#contract/inference/responses.ts';

const body = (more: object) => ({ model: 'svc-1', input: 'Hello', ...more });

function refusalOf(more: object): string | undefined {
  const { issues } = v.safeParse(ResponseRequest, body(more), { abortEarly: true });
  return issues && `${v.getDotPath(issues[0])} ${issues[0].message}`;
}

const fn = (name: string) => ({ type: 'function', name });
const space = {
  type: 'namespace',
  name: 'files',
  description: 'Files',
  tools: [fn('read'), { type: 'custom', name: 'x' }],
};
const message = (content: unknown) => [{ role: 'user', content }];

describe('a request for a response', () => {
  it.each<[what: string, more: object]>([
    ['text', {}],
    ['a message without a type', { input: message('Hi') }],
    [
      'messages of every role',
      { input: ['user', 'system', 'developer', 'assistant'].map((role) => ({ role, content: '' })) },
    ],
    ['text parts', { input: message([{ type: 'input_text', text: 'Hi' }]) }],
    [
      'an output of an earlier response',
      {
        input: [
          {
            type: 'message',
            id: 'msg_1',
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
          },
        ],
      },
    ],
    [
      'a reasoning item',
      { input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null }, ...message('Hi')] },
    ],
    [
      'null in every optional field',
      Object.fromEntries(
        Object.keys(ResponseRequest.entries)
          .filter((name) => name !== 'model' && name !== 'input')
          .map((name) => [name, null]),
      ),
    ],
    ['unknown fields', { unknown: 1 }],
    [
      'fields that only describe',
      {
        client_metadata: { a: 1 },
        user: 'u',
        safety_identifier: 's',
        prompt_cache_key: 'k',
        prompt_cache_retention: '24h',
        service_tier: 'auto',
        include: ['reasoning.encrypted_content'],
        reasoning: { summary: 'auto', effort: 'high' },
      },
    ],
    ['background: false', { background: false }],
    [
      'tools of other kinds',
      { tools: [{ type: 'web_search', external_web_access: false }, { type: 'mcp', server_url: 'x' }, fn('a')] },
    ],
    [
      'allowed tools',
      { tools: [fn('a'), fn('b')], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [fn('a')] } },
    ],
    ['a function of a namespace as the choice', { tools: [space], tool_choice: fn('read') }],
    [
      '16 pairs of metadata',
      { metadata: Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`k${index}`, 'v'])) },
    ],
  ])('may have %s', (_, more) => {
    expect(refusalOf(more)).toBeUndefined();
  });

  it.each<[what: string, more: object, rule: RegExp]>([
    ['no items', { input: [] }, /^input must not be empty/],
    [
      'an image',
      { input: message([{ type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'auto' }]) },
      /^input must contain only text; images/,
    ],
    [
      'a file',
      {
        input: message([
          { type: 'input_text', text: 'Read' },
          { type: 'input_file', file_url: 'https://x' },
        ]),
      },
      /^input must contain only text/,
    ],
    [
      'an image as the output of a function',
      { input: [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: 'x' }] }] },
      /^input must contain only text/,
    ],
    ['an unknown item', { input: [{ type: 'computer_call' }] }, /^input has an invalid item: 0.type must be a message/],
    [
      'an item without a required field',
      { input: [...message('Hi'), { type: 'function_call', name: 'f', arguments: '{}' }] },
      /^input has an invalid item: 1.call_id is required/,
    ],
    ['an unknown role', { input: [{ role: 'tool', content: '' }] }, /^input has an invalid item: 0.role must be user/],
    [
      'an unknown type of format',
      { text: { format: { type: 'yaml' } } },
      /^text\.format\.type must be text, json_object or json_schema/,
    ],
    ['a format without an object', { text: { format: 'json' } }, /^text\.format must be an object with a type of text/],
    ['a lone surrogate', { input: '\ud800' }, /^input must be well-formed Unicode/],
    ['background: true', { background: true }, /^background must be false/],
    ['a conversation', { conversation: 'conv_1' }, /^conversation is not supported; use previous_response_id/],
    ['a prompt', { prompt: { id: 'p' } }, /^prompt is not supported/],
    ['max_tool_calls', { max_tool_calls: 3 }, /^max_tool_calls is not supported/],
    ['context_management', { context_management: [{ type: 'compaction' }] }, /^context_management is not supported/],
    ['log probabilities', { top_logprobs: 3 }, /^top_logprobs must be 0/],
    [
      'a choice of a tool that is not served',
      { tools: [fn('a')], tool_choice: { type: 'web_search_preview' } },
      /^tool_choice must be none, auto, required.*other tools are not served/,
    ],
    [
      'a choice of an unknown function',
      { tools: [fn('a')], tool_choice: fn('b') },
      /^tool_choice must name functions that are in tools/,
    ],
    [
      'an unknown allowed function',
      { tools: [fn('a')], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [fn('b')] } },
      /^tool_choice must name functions that are in tools/,
    ],
    [
      'a required call without functions',
      { tools: [{ type: 'web_search' }], tool_choice: 'required' },
      /^tool_choice must name functions/,
    ],
    ['the same name twice', { tools: [fn('read'), space] }, /^tools must not contain two functions with the same name/],
    [
      'too many functions',
      {
        tools: Array.from({ length: 3 }, (_, space) => ({
          type: 'namespace',
          name: `n${space}`,
          tools: Array.from({ length: 50 }, (_, index) => fn(`f${space}_${index}`)),
        })),
      },
      /^tools must have at most 128 functions/,
    ],
    ['a function without a name', { tools: [{ type: 'function' }] }, /^tools/],
    ['a tool kind that fits in no header', { tools: [{ type: 'web\r\nsearch' }] }, /^tools/],
    [
      '17 pairs of metadata',
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'v'])) },
      /^metadata must have at most 16 pairs/,
    ],
    [
      'the id of another object',
      { previous_response_id: 'chatcmpl-1' },
      /^previous_response_id must be the id of a response/,
    ],
    ['an unknown truncation', { truncation: 'middle' }, /^truncation must be auto or disabled/],
  ])('may not have %s', (_, more, rule) => {
    expect(refusalOf(more)).toMatch(rule);
  });

  it('offers the functions of namespaces without the namespace, and omits other tools', () => {
    const { tools } = v.parse(
      ResponseRequest,
      body({ tools: [fn('list'), space, { type: 'web_search' }, { type: 'web_search' }] }),
    );
    expect(offeredFunctions(tools)).toMatchObject([{ name: 'list' }, { name: 'read', namespace: 'files' }]);
    expect(toolsLeftOut(tools)).toEqual(['custom', 'web_search']);
  });
});

it('a compaction requires a model', () => {
  const { issues } = v.safeParse(CompactionRequest, { input: 'Hello' });
  expect(issues?.map((issue) => v.getDotPath(issue))).toEqual(['model']);
});
