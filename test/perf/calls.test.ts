import { PutCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test, vi } from 'vitest';
import { writeUnits } from '#bench/cost/cost.ts';
import { chunkCount } from '#bench/shared/model-replies.ts';
import { planOfRank } from '#contract/billing/plans.ts';
import { jobs, type StreamTrigger } from '#contract/jobs.ts';
import { eventPatterns, tables } from '#contract/platform/resources.ts';
import { renewals } from '#domain/billing/grants.ts';
import type { MeterStore } from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { passes } from '#local/dynamodb/stream-pump.ts';
import { keyNoteRow } from '#repositories/meter/key-rows.ts';
import { meterCalls } from '#repositories/meter/meter-calls.ts';
import { newMeterRow } from '#repositories/meter/meter-item.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { itemBytes } from '#test/database/item-size.ts';
import { attemptOn, meterWith, start } from '#test/meter/meters.ts';
import { mistyped } from '#test/requests/mistyped.ts';
import { useCountedApi } from '#test/service/watched/counted-api.ts';

/** The writes of one call of an account whose item has these additional attributes. */
async function writesOfCall(more: object = {}): Promise<UpdateCommandInput[]> {
  const meter = meterWith(1e9);
  const sent: UpdateCommandInput[] = [];
  const { admit, settle } = meterCalls(tables.meters.name, {
    async update(input) {
      sent.push(input);
      return () => ({ ...newMeterRow(meter, []), k: { 'key-1': 4_000_000_000 }, ...more });
    },
    read: async () => undefined,
  });
  // A call needs no other method of the store.
  const calls = metering({ admit, settle } as MeterStore, renewals(planOfRank));
  await (await calls.admit(attemptOn(meter, 'call'))).settle(1e6, start);
  return sent;
}

const api = useCountedApi();

const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };
const admitted = ['UpdateItem', 'model', 'UpdateItem'];

describe('an admitted call', () => {
  test.each([
    ['chat', '/v1/chat/completions', chat],
    ['a streamed chat', '/v1/chat/completions', { ...chat, stream: true }],
    ['an analysis', '/api/ai/analyze', { text: 'Ada likes Oslo.', analyses: ['sentiment', 'entities', 'pii'] }],
    ['a chat for OpenAI’s clients', '/openai/v1/chat/completions', chat],
  ])('writes twice and reads nothing: %s', async (_, path, body) => {
    const { key } = await api.account();
    const response = await api.post(path, key, body);
    expect(response).toMatchObject({ status: 200, operations: admitted });
  });
});

test('a stream records its cost every 2 s', async () => {
  const { key } = await api.account();
  api.pauseModel(5000);
  const response = await api.post('/v1/chat/completions', key, { ...chat, stream: true });
  api.pauseModel(2);
  expect(response).toMatchObject({ status: 200, operations: [...admitted, 'UpdateItem', 'UpdateItem'] });
  expect(response.lastByteMs).toBeLessThan(6000);
});

describe('an admitted call', () => {
  const long = { model: 'svc-1-32k', messages: [{ role: 'user', content: 'word '.repeat(8000) }] };
  const withKey = { 'idempotency-key': 'order-17' };
  const kept = ['PutItem', 'UpdateItem', 'model', 'PutItem', 'UpdateItem'];

  test.each([
    ['if its tokens must be counted', long, {}, ['GetItem', ...admitted]],
    ['if it has an Idempotency-Key', chat, withKey, ['GetItem', ...kept]],
    ['if both apply', long, withKey, ['GetItem', ...kept]],
  ])('reads its key once, before its writes, %s', async (_, body, headers, operations) => {
    const { key } = await api.account();
    expect(await api.post('/v1/chat/completions', key, body, headers)).toMatchObject({ status: 200, operations });
  });
});

test('a key that was proved within the last minute is not read before a count, and the admission refuses it if it was revoked', async () => {
  const long = { model: 'svc-1-32k', messages: [{ role: 'user', content: 'word '.repeat(8000) }] };
  const { accountId, item, key } = await api.account();
  const post = () => api.post('/v1/chat/completions', key, long);
  expect(await post()).toMatchObject({ status: 200, operations: ['GetItem', ...admitted] });
  expect(await post()).toMatchObject({ status: 200, operations: admitted });
  const tooLong = { ...long, messages: [{ role: 'user', content: 'word '.repeat(40_000) }] };
  const refusal = { status: 400, operations: ['GetItem'] };
  expect(await api.post('/v1/chat/completions', key, tooLong)).toMatchObject(refusal);
  await api.client.send(new PutCommand({ TableName: 'meters', Item: { ...item, a: accountId, k: {} } }));
  expect(await post()).toMatchObject({ status: 401, operations: ['UpdateItem'] });
  expect(await api.post('/v1/chat/completions', key, tooLong)).toMatchObject({ ...refusal, status: 401 });
});

test.each([
  ['fits by its bytes', 'word '.repeat(400), 1, []],
  ['must be counted', 'word '.repeat(8000), 0, [40_000]],
])(
  'a prompt that %s is parsed once, serialized or copied, and counted at most once',
  async (_, content, serialized, counted) => {
    const { key } = await api.account();
    const body = JSON.stringify({ model: 'svc-1-32k', messages: [{ role: 'user', content }] });
    const parse = vi.spyOn(JSON, 'parse');
    const stringify = vi.spyOn(JSON, 'stringify');
    const count = vi.spyOn(bpeTokenizer, 'count');
    try {
      expect(await api.post('/v1/chat/completions', key, body)).toMatchObject({ status: 200 });
      expect(parse.mock.calls.filter(([text]) => text === body)).toHaveLength(1);
      expect(stringify.mock.results.filter(({ value }) => String(value).includes(content))).toHaveLength(serialized);
      expect(count.mock.calls.map(([text]) => text.length)).toEqual(counted);
    } finally {
      vi.restoreAllMocks();
    }
  },
);

describe('a refusal', () => {
  const bucket = () => Math.floor(Date.now() / 3000).toString(36);
  const spent = { c: 0, g: [] };
  const large = { ...chat, model: 'svc-1-32k' };

  test.each<[string, number, string[], () => Promise<{ key: string; body?: unknown }>]>([
    ['an invalid key', 401, [], async () => ({ key: 'tai_nonsense' })],
    ['a key with a typo', 401, [], async () => ({ key: mistyped((await api.account()).key) })],
    ['a revoked key', 401, ['UpdateItem'], async () => api.account(4, () => ({ k: {} }))],
    ['a model outside the plan', 403, ['UpdateItem'], async () => ({ ...(await api.account(1)), body: large })],
    ['the rate limit', 429, ['UpdateItem'], async () => api.account(4, ({ n }) => ({ b: { [bucket()]: n } }))],
    ['no credits', 402, ['UpdateItem'], async () => api.account(4, () => spent)],
    ['a body that is not JSON', 400, ['GetItem'], async () => ({ ...(await api.account()), body: '{' })],
    ['a body that is not JSON, with an invalid key', 401, [], async () => ({ key: 'tai_nonsense', body: '{' })],
  ])('reads or writes the database at most once, and invokes no model: %s', async (_, status, operations, set) => {
    const { key, body = chat } = { body: undefined, ...(await set()) };
    expect(await api.post('/v1/chat/completions', key, body ?? chat)).toMatchObject({ status, operations });
  });
});

test.each([false, true])('an unreadable meter fails only its own call (stream: %s)', async (stream) => {
  const broken = await api.account(4, () => ({ b: { old: 'no ceiling' } }));
  const response = await api.post('/v1/chat/completions', broken.key, { ...chat, stream });
  expect(response).toMatchObject({ status: 500 });
  const { key } = await api.account();
  expect(await api.post('/v1/chat/completions', key, { ...chat, stream })).toMatchObject({ status: 200 });
});

test('the two writes of a call cost one unit each, even on an account at its highest rate', async () => {
  const bucketNow = Math.floor(Date.now() / 3000);
  const buckets = Object.fromEntries(Array.from({ length: 21 }, (_, age) => [(bucketNow - age).toString(36), 2000]));
  const { accountId, item } = await api.account(4, () => ({ b: buckets }));
  const units: unknown[] = [];
  const store = meterStore(api.client, 'meters', ambient.random, {
    async update(input) {
      const response = await api.client.send(new UpdateCommand({ ...input, ReturnConsumedCapacity: 'INDEXES' }));
      units.push(response.ConsumedCapacity?.Table?.CapacityUnits);
      return () => response.Attributes;
    },
    read: async () => undefined,
  });
  const [keyId] = Object.keys(item.k as object);
  const now = Date.now();
  const attempt = { accountId, keyId, requestId: 'r'.repeat(19), service: 'chat', model: 'svc-1' } as const;
  const terms = { minPlanRank: 1, amount: 1e6, now, deadline: (now / 1000 + 150) | 0 };
  const openHold = await metering(store, renewals(planOfRank)).admit({ ...attempt, ...terms });
  await openHold.settle(1e6, now);
  expect(units).toEqual([1, 1]);
  expect(units.length).toBe(writeUnits.request);
});

const limits = { x: 4_000_000_000, b: 'budget-1', l: 5e6, p: 'day', o: ['svc-1'] };
const limited = (more: object) =>
  api.account(4, ({ k }) => ({ k: { [Object.keys(k as object)[0] ?? '']: { ...limits, ...more } } }));

test('a call with a limited key writes twice, once more in a new process, and reads nothing', async () => {
  const { key } = await limited({});
  for (const operations of [['UpdateItem', ...admitted], admitted])
    expect(await api.post('/v1/chat/completions', key, chat)).toMatchObject({ status: 200, operations });
});

test('a refusal by a known limit calls the database once', async () => {
  const { key } = await limited({ l: 1e6 });
  expect(await api.post('/v1/chat/completions', key, chat)).toMatchObject({ status: 200 });
  expect(await api.post('/v1/chat/completions', key, chat)).toMatchObject({ status: 403, operations: ['UpdateItem'] });
});

test('a key without limits adds no bytes to its item and no clauses to its writes', async () => {
  const sent = await writesOfCall();
  const clauses = /\.x|\.o|:model|:service|:limit|#budget|:budget/;
  expect(
    sent.map(({ UpdateExpression, ConditionExpression }) => clauses.test(`${UpdateExpression} ${ConditionExpression}`)),
  ).toEqual([false, false]);
  const values = sent.flatMap(({ ExpressionAttributeValues = {} }) => Object.keys(ExpressionAttributeValues));
  expect(values.filter((name) => clauses.test(name))).toEqual([]);
  expect(Object.keys(newMeterRow(meterWith(1e9), [])).filter((name) => name.startsWith('B'))).toEqual([]);
  expect(sent[0]?.ExpressionAttributeValues?.[':hold']).toEqual([1e6, expect.any(Number), 'chat', 'svc-1', 'key-1']);
});

const wh = new Set(Array.from({ length: 10 }, (_, index) => `whk_0123456789abcde${index}`));

test('a call sends the same requests with ten webhooks as without', async () => {
  const { key } = await api.account(4, () => ({ wh }));
  for (const _ of ['first', 'second'])
    expect(await api.post('/v1/chat/completions', key, chat)).toMatchObject({ status: 200, operations: admitted });
});

test('the writes of a call do not mention webhooks', async () => {
  const sent = await writesOfCall({ wh });
  expect(sent).toHaveLength(2);
  expect(JSON.stringify(sent)).not.toMatch(/\bwh\b|webhook/);
});

test('a change of keys with a webhook invokes the webhook job, not the projector', () => {
  const last = keyNoteRow({ type: 'created', at: 1, keyId: 'k' });
  const record = { dynamodb: { NewImage: marshall({ a: 1, wh, last }) } };
  const wakes = ({ trigger }: { trigger: StreamTrigger }) => passes(eventPatterns(trigger.newImageHas), record);
  expect([wakes(jobs.dispatchWebhooks), wakes(jobs.projectLedger)]).toEqual([true, false]);
});

test('webhooks add no bytes to an account without any, and at most 256 to one with ten', () => {
  const filters = eventPatterns(jobs.dispatchWebhooks.trigger.newImageHas);
  const item = newMeterRow(meterWith(1e9), [{ type: 'charge', at: 1, amount: -5 }]);
  const recordOf = (image: Record<string, unknown>) => ({ dynamodb: { NewImage: marshall(image) } });
  expect([item, { ...item, wh }].map((image) => passes(filters, recordOf(image)))).toEqual([false, true]);
  expect(Object.keys(item)).not.toContain('wh');
  // The size of a set is at most that of the list.
  expect(itemBytes({ ...item, wh: [...wh] }) - itemBytes(item)).toBeLessThanOrEqual(256);
});

/** Far more than a busy machine adds to a call, so that the difference counts only round trips. */
const delayMs = 250;
const callsPerDelay = 4;

/**
 * The number of sequential database requests: the time that a delay of each request adds, divided by the delay
 * (docs/performance.md).
 */
async function roundTrips(body: object) {
  const { key } = await api.account();
  const times: { delay: number; firstByteMs: number; lastByteMs: number }[] = [];
  for (let call = 0; call < callsPerDelay; call++) {
    for (const delay of [0, delayMs]) {
      api.delay(delay);
      const response = await api.post('/v1/chat/completions', key, body);
      expect(response.status).toBe(200);
      times.push({ ...response, delay });
    }
  }
  api.delay(0);
  const minMs = (delay: number, of: (time: (typeof times)[number]) => number) =>
    Math.min(...times.filter((time) => time.delay === delay).map(of));
  const slope = (of: (time: (typeof times)[number]) => number) => (minMs(delayMs, of) - minMs(0, of)) / delayMs;
  return { first: slope(({ firstByteMs }) => firstByteMs), last: slope(({ lastByteMs }) => lastByteMs) };
}

/** The machine may pause during one run. An additional round trip appears in every run. */
const again = { retry: 2 };

test.each([false, true])(
  'a response waits for the database once before its first byte, and twice in all (stream: %s)',
  again,
  async (stream) => {
    const { first, last } = await roundTrips({ ...chat, stream });
    expect(Math.abs(first - 1)).toBeLessThan(0.15);
    expect(Math.abs(last - 2)).toBeLessThan(0.15);
  },
);

test('a stream has one frame per chunk of the model, and one that completes it', async () => {
  const { key } = await api.account();
  const { text } = await api.post('/v1/chat/completions', key, { ...chat, stream: true });
  const frames = text.split('\n\n').filter(Boolean);
  const made = frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as { message: string; data: any });
  const words = made.map(({ data }) => data?.choices?.[0]?.delta?.content).filter((content) => content);
  expect(words).toHaveLength(chunkCount);
  expect(made.map(({ message }) => message)).toEqual([...made.slice(1).map(() => 'STREAM_CHUNK'), 'STREAM_COMPLETE']);
  expect(made).toHaveLength(chunkCount + 1 + 1);
});
