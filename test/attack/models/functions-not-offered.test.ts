import { describe, expect, it } from 'vitest';
import { done } from '#test/models/scripted-model.ts';
import { chatPiece, contentOf, useScriptedService } from '#test/service/scripted-service.ts';

const service = useScriptedService({ families: {} });

const messages = [{ role: 'user', content: 'Hi' }];
const call = (name: string | null) => ({ index: 0, id: 'c', type: 'function', function: { name, arguments: '{}' } });
const whole = (name: string) => ({
  choices: [{ message: { content: null, tool_calls: [call(name)] }, finish_reason: 'tool_calls' }],
});
const piece = (name: string | null) => ({ choices: [{ index: 0, delta: { tool_calls: [call(name)] } }] });
/** OpenAI's former field. */
const former = (name: string | null) => ({ content: null, function_call: { name, arguments: '{}' } });
const formerly = (name: string) => ({ choices: [{ message: former(name), finish_reason: 'function_call' }] });
const formerPiece = (name: string | null) => ({ choices: [{ index: 0, delta: former(name) }] });
const end = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };

const tool = { type: 'function', function: { name: 'known' } };
const anthropicTool = { name: 'known', input_schema: { type: 'object' } };
const offers: [string, string, object][] = [
  ['a chat without functions', '/v1/chat/completions', {}],
  ['a chat with another function', '/v1/chat/completions', { functions: [{ name: 'known' }] }],
  ["a chat of OpenAI's format without tools", '/openai/v1/chat/completions', {}],
  ["a chat of OpenAI's format with another tool", '/openai/v1/chat/completions', { tools: [tool] }],
  [
    "a chat of OpenAI's format with another function",
    '/openai/v1/chat/completions',
    { functions: [{ name: 'known' }] },
  ],
  ["a chat of Anthropic's format without tools", '/anthropic/v1/messages', { max_tokens: 50 }],
  [
    "a chat of Anthropic's format with another tool",
    '/anthropic/v1/messages',
    { max_tokens: 50, tools: [anthropicTool] },
  ],
];

describe.each(offers)('%s', (_, path, offered) => {
  const body = { model: 'svc-1', messages, ...offered };

  const refusal = { status: 502, cost: 0, text: expect.stringContaining('called a function that was not offered') };

  it('returns an uncharged 502 if the model calls a function that was not offered', async () => {
    for (const name of ['rm', '', 'toString', 'KNOWN', 'known ']) {
      for (const reply of [whole(name), formerly(name)]) {
        service.model.responds(reply);
        expect({ name, ...(await service.priced(path, body)) }).toEqual({ name, ...refusal });
      }
    }
  });

  it('returns an uncharged 502 if the model starts its stream with such a call', async () => {
    for (const name of ['rm', '', null]) {
      for (const first of [piece(name), formerPiece(name)]) {
        service.model.streams([first, end, done]);
        expect({ name, ...(await service.priced(path, { ...body, stream: true })) }).toEqual({ name, ...refusal });
      }
    }
  });

  it('ends a stream with an error, and charges the text, if such a call follows the text', async () => {
    service.model.streams([chatPiece('Hello'), piece('rm'), end, done]);
    const { text, cost } = await service.priced(path, { ...body, stream: true });
    expect(text).toContain('Hello');
    expect(text).toContain('called a function that was not offered');
    expect(text).not.toMatch(/STREAM_COMPLETE|\[DONE\]|message_stop|"rm"/);
    expect(cost).toBe(1_000_000);
  });
});

it('arguments of an offered function are assembled whole, even if characters are split between pieces', async () => {
  const parts = ['{"a":"\ud83d', '\ude00\0', '\ud800"}'];
  const more = parts.map((text) => ({
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: text } }] } }],
  }));
  const opened = { ...call('known'), function: { name: 'known', arguments: '' } };
  service.model.streams([{ choices: [{ index: 0, delta: { tool_calls: [opened] } }] }, ...more, end, done]);
  const body = { model: 'svc-1', messages, functions: [{ name: 'known' }], stream: true };
  const { envelopes } = await service.streamed('/v1/chat/completions', body);
  const deltas = envelopes.flatMap(({ data }) => data?.choices.map(({ delta }: any) => delta.function_call) ?? []);
  expect(deltas.map((made) => made?.name ?? '').join('')).toBe('known');
  expect(deltas.map((made) => made?.arguments ?? '').join('')).toBe('{"a":"😀\ufffd\ufffd"}');
  expect([contentOf(envelopes), envelopes.at(-1).message]).toEqual(['', 'STREAM_COMPLETE']);
});
