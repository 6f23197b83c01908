import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { metering } from '#domain/meter/metering.ts';
import { writeUnits } from '#lib/cost/cost.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { mistyped } from '#test/requests/mistyped.ts';
import { startCountedApi } from '#test/service/watched/counted-api.ts';

let api: Awaited<ReturnType<typeof startCountedApi>>;
beforeAll(async () => {
  api = await startCountedApi();
});
afterAll(() => api.close());

const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };
const admitted = ['UpdateItem', 'model', 'UpdateItem'];

describe('an admitted call writes twice and reads nothing', () => {
  test.each([
    ['chat', '/v1/chat/completions', chat],
    ['a streamed chat', '/v1/chat/completions', { ...chat, stream: true }],
    ['an analysis', '/api/ai/analyze', { text: 'Ada likes Oslo.', analyses: ['sentiment', 'entities', 'pii'] }],
    ['a chat for OpenAI’s clients', '/openai/v1/chat/completions', chat],
  ])('%s', async (_, path, body) => {
    const { key } = await api.account();
    const response = await api.post(path, key, body);
    expect(response).toMatchObject({ status: 200, operations: admitted });
  });
});

test(
  'a stream notes what it has come to every 2 s, and one that is over by then nothing',
  {
    timeout: 20_000,
  },
  async () => {
    const { key } = await api.account();
    api.pauseModel(5000);
    const response = await api.post('/v1/chat/completions', key, { ...chat, stream: true });
    api.pauseModel(2);
    expect(response).toMatchObject({
      status: 200,
      operations: ['UpdateItem', 'model', 'UpdateItem', 'UpdateItem', 'UpdateItem'],
    });
    expect(response.lastByteMs).toBeLessThan(6000);
  },
);

describe('an admitted call reads its key first, once,', () => {
  const long = { model: 'svc-1-32k', messages: [{ role: 'user', content: 'word '.repeat(8000) }] };
  const withKey = { 'idempotency-key': 'order-17' };
  const kept = ['PutItem', 'UpdateItem', 'model', 'PutItem', 'UpdateItem'];

  test.each([
    ['where its tokens must be counted', long, {}, ['GetItem', ...admitted]],
    ['where it has an Idempotency-Key', chat, withKey, ['GetItem', ...kept]],
    ['where both are so', long, withKey, ['GetItem', ...kept]],
  ])('%s', async (_, body, headers, operations) => {
    const { key } = await api.account();
    expect(await api.post('/v1/chat/completions', key, body, headers)).toMatchObject({ status: 200, operations });
  });
});

describe('a refusal calls no model, and the database no more than once', () => {
  const bucket = () => Math.floor(Date.now() / 3000).toString(36);
  const spent = { c: 0, g: [] };

  test.each<[string, number, string[], () => Promise<{ key: string; body?: unknown }>]>([
    ['a key that is none', 401, [], async () => ({ key: 'tai_nonsense' })],
    ['a key with a typo', 401, [], async () => ({ key: mistyped((await api.account()).key) })],
    ['a key that was revoked', 401, ['UpdateItem'], async () => api.account(4, () => ({ k: {} }))],
    [
      'a plan too small for the model',
      403,
      ['UpdateItem'],
      async () => ({ ...(await api.account(1)), body: { ...chat, model: 'svc-1-32k' } }),
    ],
    ['a minute used up', 429, ['UpdateItem'], async () => api.account(4, ({ n }) => ({ b: { [bucket()]: n } }))],
    ['credits used up', 402, ['UpdateItem'], async () => api.account(4, () => spent)],
    ['a body that is no JSON', 400, ['GetItem'], async () => ({ ...(await api.account()), body: '{' })],
    ['a body that is no JSON, and no key', 401, [], async () => ({ key: 'tai_nonsense', body: '{' })],
  ])('%s', async (_, status, operations, set) => {
    const { key, body = chat } = { body: undefined, ...(await set()) };
    expect(await api.post('/v1/chat/completions', key, body ?? chat)).toMatchObject({ status, operations });
  });
});

test.each([false, true])('a meter that cannot be read is a failure of that call alone (stream: %s)', async (stream) => {
  const broken = await api.account(4, () => ({ b: { old: 'no ceiling' } }));
  const response = await api.post('/v1/chat/completions', broken.key, { ...chat, stream });
  expect(response).toMatchObject({ status: 500 });
  const { key } = await api.account();
  expect(await api.post('/v1/chat/completions', key, { ...chat, stream })).toMatchObject({ status: 200 });
});

test('the two writes of a call take one unit each, also in an account that never pauses', async () => {
  const bucketNow = Math.floor(Date.now() / 3000);
  const buckets = Object.fromEntries(Array.from({ length: 21 }, (_, age) => [(bucketNow - age).toString(36), 2000]));
  const { accountId, item } = await api.account(4, () => ({ b: buckets }));
  const units: unknown[] = [];
  const store = meterStore(api.client, 'meters', ambient.random, async (input) => {
    const response = await api.client.send(new UpdateCommand({ ...input, ReturnConsumedCapacity: 'INDEXES' }));
    units.push(response.ConsumedCapacity?.Table?.CapacityUnits);
    return () => response.Attributes;
  });
  const [keyId] = Object.keys(item.k as object);
  const now = Date.now();
  const attempt = {
    accountId,
    keyId,
    requestId: 'r'.repeat(19),
    service: 'chat',
    model: 'svc-1',
    minPlanRank: 1,
  } as const;
  const openHold = await metering(store, planOfRank).admit({
    ...attempt,
    amount: 1e6,
    now,
    deadline: (now / 1000 + 150) | 0,
  });
  await openHold.settle(1e6, now);
  expect(units).toEqual([1, 1]);
  expect(units.length).toBe(writeUnits.request);
});
