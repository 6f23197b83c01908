import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { jobs, type StreamTrigger } from '#contract/jobs.ts';
import { eventPatterns, tables } from '#contract/platform/resources.ts';
import { metering } from '#domain/meter/metering.ts';
import { passes } from '#local/dynamodb/batch-delivery.ts';
import { keyNoteRow } from '#repositories/meter/key-rows.ts';
import { meterCalls } from '#repositories/meter/meter-calls.ts';
import { newMeterRow } from '#repositories/meter/meter-item.ts';
import { itemBytes } from '#test/database/item-size.ts';
import { attemptOn, meterWith, start } from '#test/meter/meters.ts';
import { startCountedApi } from '#test/service/watched/counted-api.ts';

let api: Awaited<ReturnType<typeof startCountedApi>>;
beforeAll(async () => {
  api = await startCountedApi();
});
afterAll(() => api.close());

const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };
const wh = new Set(Array.from({ length: 10 }, (_, index) => `whk_0123456789abcde${index}`));

test('a call of an account with ten webhooks requests exactly what one of an account without does', async () => {
  const requested: string[][] = [];
  for (const about of [{}, { wh }]) {
    const { key } = await api.account(4, () => about);
    await api.post('/v1/chat/completions', key, chat);
    const { status, operations } = await api.post('/v1/chat/completions', key, chat);
    expect(status).toBe(200);
    requested.push(operations);
  }
  expect(requested).toEqual([
    ['UpdateItem', 'model', 'UpdateItem'],
    ['UpdateItem', 'model', 'UpdateItem'],
  ]);
});

test('the writes of a call have no word about webhooks', async () => {
  const meter = meterWith(1e9);
  const sent: UpdateCommandInput[] = [];
  const { admit, settle } = meterCalls(tables.meters.name, async (input) => {
    sent.push(input);
    return () => ({ ...newMeterRow(meter, []), k: { 'key-1': 4_000_000_000 }, wh });
  });
  const calls = metering({ ...unused, admit, settle }, planOfRank);
  await (await calls.admit(attemptOn(meter, 'call'))).settle(1e6, start);
  expect(sent).toHaveLength(2);
  expect(JSON.stringify(sent)).not.toMatch(/\bwh\b|webhook/);
});

test('a change of keys that a webhook is sent wakes its job, and not the ledger’s', () => {
  const last = keyNoteRow({ type: 'created', at: 1, keyId: 'k' });
  const record = { dynamodb: { NewImage: marshall({ a: 1, wh, last }) } };
  const wakes = ({ trigger }: { trigger: StreamTrigger }) => passes(eventPatterns(trigger.newImageHas), record);
  expect([wakes(jobs.dispatchWebhooks), wakes(jobs.projectLedger)]).toEqual([true, false]);
});

test('an account without webhooks wakes no job and has no byte of them; one with ten has at most 256 more in its item', () => {
  const filters = eventPatterns(jobs.dispatchWebhooks.trigger.newImageHas);
  const item = newMeterRow(meterWith(1e9), [{ type: 'charge', at: 1, amount: -5 }]);
  const recordOf = (image: Record<string, unknown>) => ({ dynamodb: { NewImage: marshall(image) } });
  expect([item, { ...item, wh }].map((image) => passes(filters, recordOf(image)))).toEqual([false, true]);
  expect(Object.keys(item)).not.toContain('wh');
  // A set is counted as a list is, at the most.
  expect(itemBytes({ ...item, wh: [...wh] }) - itemBytes(item)).toBeLessThanOrEqual(256);
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
