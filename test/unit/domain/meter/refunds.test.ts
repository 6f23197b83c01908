import { expect, it } from 'vitest';
import { plansOf } from '#contract/billing/plans.ts';
import { renewals, openMeter } from '#domain/billing/grants.ts';
import type { MeterStore } from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import { type RefundableCharge, type RefundWrite, refunds } from '#domain/meter/refund.ts';

const plans = plansOf('listing');
const now = 1_800_000_000_000;
const meter = openMeter(1, now / 1000, plans).meter;

const charge: RefundableCharge = {
  requestId: 'one',
  service: 'transcription',
  model: 'svc-transcribe',
  keyId: '',
  amount: 10,
  lots: [{ id: 1, source: 'free', expiresAt: now / 1000 + 86_400, amount: 10 }],
  period: meter.period,
};

it('a refund is written once, as a change of the account with its entry and the credits that return to the key’s budget', async () => {
  const limited = { ...meter, budgets: new Map([['budget', { start: 7, used: 10 }]]) };
  const store = { find: async () => limited } as unknown as MeterStore;
  const giveBack = refunds(metering(store, renewals(plans)), { now: () => now });
  const writes: RefundWrite[] = [];
  const write = async (one: RefundWrite) => {
    writes.push(one);
    return 'changed' as const;
  };
  expect(await giveBack(1, { ...charge, budget: { id: 'budget', start: 7 } }, { amount: 4 }, write)).toBe('changed');
  expect(writes).toEqual([
    {
      before: limited,
      after: expect.objectContaining({ seq: meter.seq + 1 }),
      entries: expect.arrayContaining([expect.objectContaining({ type: 'refund', amount: 4 })]),
      budget: { id: 'budget', start: 7, amount: 4 },
    },
  ]);
});

it('a refund to a deleted account has no effect', async () => {
  const store = { find: async () => undefined } as unknown as MeterStore;
  const giveBack = refunds(metering(store, renewals(plans)), { now: () => now });
  expect(await giveBack(1, charge, { amount: 4 }, async () => 'done')).toBe('no account');
});

it('a refund that fails for another reason fails', async () => {
  const store = { find: async () => meter } as unknown as MeterStore;
  const giveBack = refunds(metering(store, renewals(plans)), { now: () => now });
  await expect(giveBack(1, charge, { amount: 4 }, async () => 'meter changed')).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
});

it('a refund is written even if the account changes between most reads and writes', async () => {
  const store = { find: async () => meter } as unknown as MeterStore;
  const giveBack = refunds(metering(store, renewals(plans)), { now: () => now });
  let tries = 0;
  const write = async () => (++tries < 300 ? 'meter changed' : 'done');
  expect(await giveBack(1, charge, { amount: 10 }, write)).toBe('done');
});
