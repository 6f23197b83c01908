import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { metering } from '#domain/meter/metering.ts';
import { meterCalls } from '#repositories/meter/meter-calls.ts';
import { newMeterRow } from '#repositories/meter/meter-item.ts';
import { attemptOn, meterWith, start } from '#test/meter/meters.ts';
import { startCountedApi } from '#test/service/watched/counted-api.ts';

let api: Awaited<ReturnType<typeof startCountedApi>>;
beforeAll(async () => {
  api = await startCountedApi();
});
afterAll(() => api.close());

const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };
const restricted = { x: 4_000_000_000, b: 'budget-1', l: 5e6, p: 'day', o: ['svc-1'] };

test('a limited key’s call writes twice, the first of a process once more, and reads nothing', async () => {
  const { key } = await api.account(4, ({ k }) => ({ k: { [Object.keys(k as object)[0] ?? '']: restricted } }));
  const first = await api.post('/v1/chat/completions', key, chat);
  expect(first).toMatchObject({
    status: 200,
    operations: ['UpdateItem', 'UpdateItem', 'model', 'UpdateItem'],
  });
  const second = await api.post('/v1/chat/completions', key, chat);
  expect(second).toMatchObject({ status: 200, operations: ['UpdateItem', 'model', 'UpdateItem'] });
});

test('a refusal by a limit calls the database once, where it is known', async () => {
  const { key } = await api.account(4, ({ k }) => ({
    k: { [Object.keys(k as object)[0] ?? '']: { ...restricted, l: 1e6 } },
  }));
  expect(await api.post('/v1/chat/completions', key, chat)).toMatchObject({ status: 200 });
  expect(await api.post('/v1/chat/completions', key, chat)).toMatchObject({ status: 403, operations: ['UpdateItem'] });
});

test('a key without limits adds no byte to its item and no clause to its writes', async () => {
  const meter = meterWith(1e9);
  const sent: UpdateCommandInput[] = [];
  const { admit, settle } = meterCalls('meters', async (input) => {
    sent.push(input);
    return () => ({ ...newMeterRow(meter, []), k: { 'key-1': 4_000_000_000 } });
  });
  const calls = metering({ ...unused, admit, settle }, planOfRank);
  await (await calls.admit(attemptOn(meter, 'call'))).settle(1e6, start);
  const limits = /\.x|\.o|:model|:service|:limit|#budget|:budget/;
  expect(
    sent.map(({ UpdateExpression, ConditionExpression }) => limits.test(`${UpdateExpression} ${ConditionExpression}`)),
  ).toEqual([false, false]);
  const values = sent.flatMap(({ ExpressionAttributeValues = {} }) => Object.keys(ExpressionAttributeValues));
  expect(values.filter((name) => limits.test(name))).toEqual([]);
  expect(Object.keys(newMeterRow(meter, [])).filter((name) => name.startsWith('B'))).toEqual([]);
  expect(sent[0]?.ExpressionAttributeValues?.[':hold']).toEqual([1e6, expect.any(Number), 'chat', 'svc-1', 'key-1']);
});

const none = (): never => {
  throw new Error('nothing else is needed');
};
const unused = {
  find: none,
  recordProgress: none,
  cancelStream: none,
  replace: none,
  accountsDue: none,
  accountsWithOldHolds: none,
  watchHolds: none,
  workIn: none,
};
