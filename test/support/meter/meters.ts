import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { planOfRank } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { tables } from '#contract/platform/resources.ts';
import { openMeter } from '#domain/billing/grants.ts';
import type { Attempt } from '#domain/meter/admission.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { budgetName, budgetRow, keyRow } from '#repositories/meter/key-rows.ts';
import { newMeterRow } from '#repositories/meter/meter-item.ts';

/** 1 March 2027 00:00 UTC, epoch ms. */
export const start = Date.UTC(2027, 2, 1);

export const credits = (count: number): number => count * microPerCredit;

let accounts = 0;

/** A meter with one active key `key-1` and this many credits; `about` overrides other fields. */
export function meterWith(spendable: number, about: Partial<Meter> = {}): Meter {
  accounts += 1;
  const { meter } = openMeter(accounts, start / 1000, planOfRank);
  const lots = [
    { id: 1, source: 'plan', granted: spendable, remaining: spendable, expiresAt: start / 1000 + 86_400 * 90 },
  ] as const;
  const onPro = { planRank: 4, maxConcurrentCalls: 100, ceiling: 2000 };
  return {
    ...meter,
    keys: new Map([['key-1', { expiresAt: 4_000_000_000 }]]),
    spendable,
    lots,
    lotsGranted: 1,
    ...onPro,
    ...about,
  };
}

export async function putMeter(client: DynamoDBDocumentClient, meter: Meter): Promise<Meter> {
  const k = Object.fromEntries(meter.keys.entries().map(([id, key]) => [id, keyRow(key)]));
  const budgets = meter.budgets.entries().map(([id, budget]) => [budgetName(id), budgetRow(budget)]);
  const Item = { ...newMeterRow(meter, []), ...Object.fromEntries(budgets), k };
  await client.send(new PutCommand({ TableName: tables.meters.name, Item }));
  return meter;
}

/** A chat call of one credit at `start`. */
export function attemptOn(meter: Meter, requestId: string, about: Partial<Attempt> = {}): Attempt {
  const { now = start } = about;
  return {
    accountId: meter.accountId,
    keyId: 'key-1',
    requestId,
    service: 'chat',
    model: 'svc-1',
    minPlanRank: 1,
    amount: credits(1),
    deadline: Math.ceil(now / 1000) + 150,
    ...about,
    now,
  };
}
