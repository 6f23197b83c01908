import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ResponseRequest } from '#contract/inference/responses.ts';
import { toModelRequest } from '#domain/inference/chat.ts';
import { truncated } from '#domain/inference/responses-service.ts';
import {
  compactionOf,
  conversationOfResponse,
  type Item,
  requestItems,
  responseOfItem,
} from '#domain/inference/responses.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';

const requestId = 'hV3kQ9sTz1LmXw7RbYc';
const parsed = (body: object) => v.parse(ResponseRequest, { model: 'svc-1', input: 'Hello', ...body });
const isItem = (item: { type: string }): item is Item => item.type !== 'item_reference';

function conversation(body: object) {
  const request = parsed(body);
  return conversationOfResponse(request, requestItems(request.input, requestId).filter(isItem));
}
const modelRequest = (body: object) => toModelRequest(conversation(body), 100);

const user = { role: 'user', content: 'Hi' };
const called = (call_id: string, name = 'get_weather') => ({ type: 'function_call', call_id, name, arguments: '{}' });
const result = (call_id: string, output: unknown = 'clear') => ({ type: 'function_call_output', call_id, output });
const toolCall = (id: string, name = 'get_weather') => ({ id, type: 'function', function: { name, arguments: '{}' } });
const fn = (name: string) => ({ type: 'function', name });

describe('the conversation of a response', () => {
  it('starts with the instructions', () => {
    expect(
      modelRequest({ instructions: 'Be kind', input: [{ role: 'developer', content: 'Be brief' }, user] }).messages,
    ).toEqual([{ role: 'system', content: 'Be kind' }, { role: 'system', content: 'Be brief' }, user]);
  });

  it('contains the calls of a turn in one message, with their results by id', () => {
    const text = { role: 'assistant', content: [{ type: 'output_text', text: 'I look' }] };
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
    const input = [
      user,
      text,
      reasoning,
      called('a'),
      called('b', 'get_time'),
      result('b', [{ type: 'input_text', text: 'noon' }]),
      result('a'),
    ];
    expect(modelRequest({ input }).messages).toEqual([
      user,
      { role: 'assistant', content: 'I look', tool_calls: [toolCall('a'), toolCall('b', 'get_time')] },
      { role: 'tool', tool_call_id: 'b', name: 'get_time', content: 'noon' },
      { role: 'tool', tool_call_id: 'a', name: 'get_weather', content: 'clear' },
    ]);
  });

  it('contains 64,000 calls of one turn within a second', () => {
    const items = requestItems(
      Array.from({ length: 64_000 }, (_, index) => called(`c${index}`) as never),
      requestId,
    ).filter(isItem);
    const startedAt = performance.now();
    const { messages } = conversationOfResponse(parsed({}), items);
    expect([messages.length, messages[0]?.tool_calls?.length]).toEqual([1, 64_000]);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it('requires the call of each result', () => {
    expect(() => conversation({ input: [user, result('c')] })).toThrow(
      /function_call with the same call_id before each function_call_output; c has none/,
    );
  });

  it('contains a compaction as its summary', () => {
    const [item] = [compactionOf('cmp_1', 'They like rivers – Grüße')];
    expect(modelRequest({ input: [item, user] }).messages).toEqual([
      { role: 'user', content: 'Summary of the conversation so far:\nThey like rivers – Grüße' },
      user,
    ]);
  });

  it.each<[string, object, unknown, string[], readonly string[] | undefined]>([
    ['auto', {}, 'auto', ['a', 'b'], []],
    ['a named function', { tool_choice: fn('b') }, { type: 'function', function: { name: 'b' } }, ['a', 'b'], []],
    [
      'allowed functions',
      { tool_choice: { type: 'allowed_tools', mode: 'required', tools: [fn('b')] } },
      'required',
      ['b'],
      ['a'],
    ],
  ])('offers functions with %s', (_, body, choice, offered, suppressed) => {
    const made = conversation({ tools: [fn('a'), fn('b'), { type: 'web_search' }], ...body });
    expect(toModelRequest(made, 100)).toMatchObject({
      tool_choice: choice,
      tools: offered.map((name) => ({ function: { name } })),
    });
    expect(made).toMatchObject({ suppressed, toolsLeftOut: ['web_search'] });
  });

  it.each([
    [{ format: { type: 'text' } }, undefined],
    [{ format: { type: 'json_object' } }, { type: 'json_object' }],
    [
      { format: { type: 'json_schema', name: 'trip', schema: { type: 'object' }, strict: true } },
      { type: 'json_schema', json_schema: { name: 'trip', schema: { type: 'object' }, strict: true } },
    ],
  ])('requests the text format %j', (text, format) => {
    expect(modelRequest({ text })['response_format']).toEqual(format);
  });

  it('forwards the reasoning effort', () => {
    expect(modelRequest({ reasoning: { effort: 'low', summary: 'auto' } })).toMatchObject({ reasoning_effort: 'low' });
  });
});

describe('the ids of items', () => {
  it('are those of the request, or contain the id of the response', () => {
    const items = requestItems(
      [
        { type: 'message', role: 'user', content: 'a', id: 'msg_own' },
        { type: 'message', role: 'user', content: 'b' },
      ],
      requestId,
    );
    expect(items.map(({ id }) => id)).toEqual(['msg_own', `msg_${requestId}_in1`]);
    expect(responseOfItem(items[1]!.id)).toBe(`resp_${requestId}`);
    expect(responseOfItem(`fc_${requestId}_0`)).toBe(`resp_${requestId}`);
    expect(responseOfItem('msg_own')).toBeUndefined();
  });
});

describe('truncation', () => {
  const long = (count: number) => 'river '.repeat(count);
  const prove = async () => undefined;
  const shortened = async (input: object[], more = {}) =>
    (await truncated(conversation({ input, truncation: 'auto', ...more }), bpeTokenizer, prove)).messages;

  it('keeps a conversation that fits, without counting its tokens', async () => {
    const counting = { count: () => Promise.reject(new Error('counted')) };
    const whole = conversation({ input: [user, user] });
    expect(await truncated(whole, counting, () => Promise.reject(new Error('proved')))).toBe(whole);
  });

  it('drops the oldest messages, and results with their calls, but no system message', async () => {
    const old = [{ role: 'user', content: long(2000) }, called('a'), result('a', long(1000))];
    const input = [
      { role: 'system', content: 'Be kind' },
      ...old,
      { role: 'user', content: long(2500) },
      called('b'),
      result('b'),
    ];
    const messages = await shortened(input);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  });

  it('keeps the newest message even if it does not fit', async () => {
    const messages = await shortened([user, { role: 'user', content: long(9000) }]);
    expect(messages).toHaveLength(1);
  });
});
