import { PutCommand } from '@aws-sdk/lib-dynamodb';
import OpenAI from 'openai';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { limits } from '#contract/shared/limits.ts';
import { dailyCounter } from '#domain/shared/idempotency.ts';
import type { EngineReply } from '#local/sagemaker/engine.ts';
import { ambient } from '#runtime/process.ts';
import { dynamoClient } from '#runtime/services/dynamo-client.ts';
import { done } from '#test/models/scripted-model.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { chatEnd, chatPiece, total, useScriptedService } from '#test/service/scripted-service.ts';

const service = useScriptedService({ families: {}, deadlineMs: 1000 });
const path = '/openai/v1/chat/completions';
const credit = 1_000_000;

let client: OpenAI;
beforeAll(() => {
  client = new OpenAI({ apiKey: service.person.key, baseURL: `${service.origin}/openai/v1`, maxRetries: 0 });
});

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city', 'days'],
  additionalProperties: false,
};
const bySchema = { type: 'json_schema' as const, json_schema: { name: 'trip', schema, strict: true } };
const request = (response_format: object, more: object = {}) => ({
  model: 'svc-1',
  messages: [{ role: 'user' as const, content: 'A trip to Lisbon' }],
  response_format,
  ...more,
});

const fit = '{"city":"Lisbon","days":3}';
const mismatch = '{"city":"Lisbon","days":0}';
const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };
const message = (content: string | null, more: object = {}) => ({ message: { role: 'assistant', content, ...more } });
const ended = (content: string, finish_reason = 'stop') => ({ ...message(content), finish_reason });

/** A model with these replies in turn, and the requests that it received. */
function replies(...choices: object[]) {
  const received: any[] = [];
  service.model.becomes({
    async invoke(body): Promise<EngineReply> {
      received.push(body);
      const choice = choices[received.length - 1] ?? choices.at(-1);
      return { kind: 'json', status: 200, body: { choices: [choice], usage } };
    },
  });
  return received;
}

const refusedBy = async (body: object) => {
  const { status, text, cost } = await service.priced(path, body);
  return { status, cost, error: JSON.parse(text).error };
};

describe('an unstreamed reply with a JSON schema', () => {
  it('is returned and charged once if it fits', async () => {
    const received = replies(ended(fit));
    const { status, text, cost } = await service.priced(path, request(bySchema));
    expect([status, cost, received.length]).toEqual([200, credit, 1]);
    expect(JSON.parse(text).choices[0].message.content).toBe(fit);
    expect(received[0].response_format).toEqual(bySchema);
  });

  it('is parsed by the SDK', async () => {
    replies(ended(fit));
    const { choices } = await client.chat.completions.parse(request(bySchema) as never);
    expect(choices[0]?.message.parsed).toEqual({ city: 'Lisbon', days: 3 });
  });

  it('is requested once more with different sampling if it does not fit, and charged once', async () => {
    const received = replies(ended(mismatch), ended(fit));
    const { status, text, cost } = await service.priced(path, request(bySchema, { temperature: 0, seed: 41 }));
    expect([status, cost]).toEqual([200, credit]);
    expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { content: fit } }], usage });
    expect(received.map(({ temperature, seed }) => [temperature, seed])).toEqual([
      [0, 41],
      [0.5, 42],
    ]);
    const [{ temperature: _, seed: __, ...first }, { temperature: ___, seed: ____, ...second }] = received;
    expect(second).toEqual(first);
  });

  it.each([
    ['a value out of range', mismatch, 'it violates the schema'],
    ['an answer as a name', '{"Take the train at noon":1}', 'it violates the schema'],
    ['prose', 'Lisbon, three days.', 'it is not JSON'],
    ['a fenced block', `\`\`\`json\n${fit}\n\`\`\``, 'it is not JSON'],
    ['nothing', '', 'it is not JSON'],
  ])('returns 502 and is not charged if its repeat does not fit either: %s', async (_, content, problem) => {
    const received = replies(ended(content));
    const { status, cost, error } = await refusedBy(request(bySchema));
    expect([status, cost, received.length]).toEqual([502, 0, 2]);
    expect(error).toMatchObject({ type: 'server_error', code: 'model_error' });
    expect(error.message).toBe(
      `The model's response does not fit the requested format: ${problem}. You were not charged.`,
    );
  });

  it('is not requested again by the SDK if its repeat does not fit either', async () => {
    const received = replies(ended(mismatch));
    const retrying = client.withOptions({ maxRetries: 2 });
    await expect(retrying.chat.completions.create(request(bySchema) as never)).rejects.toMatchObject({ status: 502 });
    expect(received).toHaveLength(2);
  });

  it('is not requested again if its check times out', async () => {
    const slow = { type: 'json_schema', json_schema: { name: 'slow', schema: { pattern: '^(a+)+$' } } };
    const received = replies(ended(JSON.stringify(`${'a'.repeat(50)}!`)));
    const { status, cost, error } = await refusedBy(request(slow));
    expect([status, cost, received.length]).toEqual([502, 0, 1]);
    expect(error.message).toMatch(/cannot be checked within 500 ms/);
  });

  it('is requested both times within one deadline', async () => {
    service.model.becomes({
      async invoke(): Promise<EngineReply> {
        await new Promise((resolve) => setTimeout(resolve, 700));
        return { kind: 'json', status: 200, body: { choices: [ended(mismatch)], usage } };
      },
    });
    const startedAt = performance.now();
    const { status, cost, error } = await refusedBy(request(bySchema));
    expect([status, cost, error.code]).toEqual([504, 0, 'model_timeout']);
    expect(performance.now() - startedAt).toBeLessThan(1350);
  });

  it.each<[string, object]>([
    ['truncated', ended('{"city":"Lis', 'length')],
    ['a refusal', { ...message(null, { refusal: 'I cannot help.' }), finish_reason: 'stop' }],
  ])('is returned unchecked if it is %s', async (_, choice) => {
    const received = replies(choice);
    const { status, cost } = await service.priced(path, request(bySchema));
    expect([status, cost, received.length]).toEqual([200, credit, 1]);
  });

  it('is returned unchecked if it calls a tool', async () => {
    const tool_calls = [{ id: 'a', type: 'function', function: { name: 'book', arguments: '{}' } }];
    replies({ ...message(null, { tool_calls }), finish_reason: 'tool_calls' });
    const tools = [{ type: 'function', function: { name: 'book' } }];
    const { status, text } = await service.priced(path, request(bySchema, { tools }));
    expect([status, JSON.parse(text).choices[0].finish_reason]).toEqual([200, 'tool_calls']);
  });

  it('contains the refusal of a model in the field that the SDK reads', async () => {
    replies({ ...message(null, { refusal: 'I cannot help.' }), finish_reason: 'stop' });
    const { choices } = await client.chat.completions.parse(request(bySchema) as never);
    expect(choices[0]?.message).toMatchObject({ refusal: 'I cannot help.', content: null, parsed: null });
  });
});

describe('an unstreamed reply as a JSON object', () => {
  const asObject = { type: 'json_object' };
  it.each([
    ['an object', '{"any":1}', 200, credit, 1],
    ['a list', '[1]', 502, 0, 2],
    ['prose', 'Hello', 502, 0, 2],
  ])('is checked and requested again by its content: %s', async (_, content, status, cost, calls) => {
    const received = replies(ended(content));
    const given = await service.priced(path, request(asObject));
    expect([given.status, given.cost, received.length]).toEqual([status, cost, calls]);
    expect(received[0].response_format).toEqual(asObject);
  });
});

it.each<[string, object, RegExp]>([
  ['a reference to another document', { $ref: 'https://example.com/' }, /target of each \$ref/],
  ['a loop', { $ref: '#' }, /checkable within/],
  ['an invalid pattern', { pattern: '[' }, /unsupported pattern/],
  ['200 KB', { enum: ['x'.repeat(200_000)] }, /131072 bytes/],
])('a schema with %s returns a 400 that names it, before the model is called', async (_, hostile, rule) => {
  const received = replies(ended(fit));
  const { status, cost, error } = await refusedBy(
    request({ type: 'json_schema', json_schema: { name: 'x', schema: hostile } }),
  );
  expect([status, cost, received.length]).toEqual([400, 0, 0]);
  expect(error).toMatchObject({ param: 'response_format.json_schema.schema', message: expect.stringMatching(rule) });
});

it('an invalid key returns 401 before the schema is read', async () => {
  const schema = { allOf: Array.from({ length: 5000 }, () => ({ pattern: 'a'.repeat(10) })) };
  const body = request({ type: 'json_schema', json_schema: { name: 'x', schema } });
  const reply = await fetch(service.origin + path, {
    method: 'POST',
    headers: { authorization: `Bearer tai_${'a'.repeat(58)}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(reply.status).toBe(401);
});

describe('a streamed reply with a JSON schema', () => {
  const streamed = (content: string) => [...(content.match(/.{1,5}/gs) ?? []).map(chatPiece), chatEnd, total, done];
  const open = (more: object = {}) => service.priced(path, request(bySchema, { stream: true, ...more }));

  it('ends normally if it fits', async () => {
    service.model.streams(streamed(fit));
    const { text, cost } = await open();
    expect([text.endsWith(done), cost]).toEqual([true, credit]);
  });

  it('ends with an error event if it does not fit, and the delivered text is charged', async () => {
    service.model.streams(streamed(mismatch));
    const { text, cost } = await open();
    const events = text.split('\n\n').filter(Boolean);
    const error = JSON.parse(events.at(-1)?.slice('data: '.length) ?? '').error;
    expect(error).toMatchObject({ code: 'model_error', message: expect.stringContaining('#/days violates minimum') });
    const content = events
      .slice(0, -1)
      .map((event) => JSON.parse(event.slice('data: '.length)).choices[0]?.delta.content ?? '');
    expect([content.join(''), text.includes('[DONE]'), cost]).toEqual([mismatch, false, credit]);
  });

  it('is not checked if it is truncated', async () => {
    const cut = { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] };
    service.model.streams([chatPiece('{"city"'), cut, total, done]);
    const { text } = await open();
    expect(text.endsWith(done)).toBe(true);
  });

  it('throws in the SDK if it does not fit', async () => {
    service.model.streams(streamed(mismatch));
    const stream = client.chat.completions.stream(request(bySchema) as never);
    await expect(stream.finalChatCompletion()).rejects.toThrow(/does not fit/);
  });
});

describe('calls of which no reply fits their format', () => {
  let restore: (() => void) | undefined;
  afterEach(() => restore?.());

  it('are refused for the rest of the day after 1,000 uncharged failures of an account, without calling a model', async () => {
    restore = withEnvironment({ NETWORK_LIMITS: 'on' });
    const { calls } = service;
    const [owner, other] = [await calls.person({ planRank: 3 }), await calls.person({ planRank: 3 })];
    const send = async ({ key }: { key: string }, format: object, more: object = {}) =>
      calls.call('POST', path, { key, body: request(format, more) });
    const { id } = dailyCounter('mismatches', owner.id, ambient.clock.now());
    const Item = { id, requests: limits.mismatchesPerDay - 2 };
    await dynamoClient().send(new PutCommand({ TableName: tables.idempotency.name, Item }));
    const received = replies(ended(mismatch));
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++) statuses.push((await send(owner, bySchema)).status);
    expect([statuses, received.length]).toEqual([[502, 502, 502, 429], 6]);
    const refused = await send(owner, { type: 'json_object' }, { stream: true });
    expect([refused.status, received.length]).toEqual([429, 6]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await send(owner, { type: 'text' })).status).toBe(200);
    expect((await send(other, bySchema)).status).toBe(502);
    await calls.post('/_local/clock', { advance: 'P1D' });
    expect((await send(owner, bySchema)).status).toBe(502);
  });
});
