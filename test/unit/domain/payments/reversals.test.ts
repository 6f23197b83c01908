import { expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { openMeter } from '#domain/billing/grants.ts';
import { addLot } from '#domain/meter/lots.ts';
import type { Meter } from '#domain/meter/meter.ts';
import type { Order } from '#domain/payments/order.ts';
import { reversals } from '#domain/payments/reversals.ts';

const now = Date.UTC(2027, 0, 10);
const expiresAt = now / 1000 + 86_400;

/** Returns cents of an order whose lot is unspent. */
async function returned(order: Partial<Order>, credits: number, refundedCents: number) {
  const opened = openMeter(1, now / 1000, planOfRank).meter;
  const lot = { source: 'plan', granted: credits * 1_000_000, expiresAt } as const;
  let { meter } = addLot(opened, lot, now / 1000);
  const before: Order = {
    accountId: 1,
    id: 'ord_1',
    kind: 'plan',
    state: 'granted',
    cents: 9999,
    credits,
    createdAt: now,
    paidAt: now,
    lot: { id: meter.lotsGranted, expiresAt },
    period: { start: now / 1000, end: expiresAt },
    provider: {},
    revision: 1,
    ...order,
  };
  const parts = {
    store: { find: async () => undefined },
    metering: {
      find: async () => meter,
      change: async (_id: number, _now: number, apply: (before: Meter) => Promise<{ meter: Meter }>) =>
        void ({ meter } = await apply(meter)),
    },
    plans: planOfRank,
    clock: { now: () => now },
    onChange: async () => undefined,
    mark: async () => undefined,
    align: async () => undefined,
    stopTopUp: async () => undefined,
  };
  await reversals(parts as never)(before, { refundedCents } as never);
  return meter.spendable - opened.spendable;
}

it('a full refund takes back all credits of a plan without a monthly limit', async () => {
  const enterprise = planOfRank(5);
  expect(enterprise.creditsPerMonth).toBeNull();
  expect(await returned({ planId: enterprise.name, credits: 0 }, 1_000_000_000, 9999)).toBe(0);
});

it('a full refund takes back every microcredit of a payment whose products exceed the safe integers', async () => {
  for (const cents of [9999, 29_999, 30_001]) expect(await returned({ cents }, 987_654_321, cents)).toBe(0);
  expect(await returned({}, 987_654_321, 3333)).toBe(
    987_654_321_000_000 - Number((987_654_321_000_000n * 3333n) / 9999n),
  );
});
