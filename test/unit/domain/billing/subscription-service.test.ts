import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { openMeter, renewals } from '#domain/billing/grants.ts';
import { cancel, startSubscription } from '#domain/billing/subscription-changes.ts';
import { subscriptionService } from '#domain/billing/subscriptions.ts';
import { type MeterStore, balance, type LedgerEntry, type Meter, type Subscription } from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import { at, dev, pro } from '#test/meter/billing-cases.ts';
import { credits } from '#test/meter/meters.ts';

const since = at('2027-04-01T12:00:00Z');
const now = at('2027-04-16T12:00:00Z');
const free = openMeter(1, since, planOfRank).meter;
const onDev = startSubscription(free, dev, 'sub-1', since, planOfRank).meter;
const cancelled = cancel(onDev, since, planOfRank).meter;
const ended: Meter = { ...cancelled, subscription: { ...cancelled.subscription!, endsAt: now } };
const changed = (meter: Meter, about: Partial<Subscription>): Meter => ({
  ...meter,
  subscription: { ...meter.subscription!, ...about },
});
const unpaid = changed(onDev, { paidUntil: since, unpaidSince: since });

/** The service over one meter, with or without payments. `overtaken`: writes that another one precedes. */
function serviceOf(first: Meter, { pays = false, overtaken = 0, plans = planOfRank } = {}) {
  const log: string[] = [];
  const state = { meter: first, left: overtaken, entries: [] as readonly LedgerEntry[] };
  const store = {
    find: async () => state.meter,
    replace: async (_: Meter, after: Meter, entries: readonly LedgerEntry[]) => {
      if (state.left-- > 0) return false;
      state.entries = entries;
      state.meter = after;
      log.push('write');
      return true;
    },
  };
  const collected = {
    subscribe: async () => {
      log.push('charge month');
      state.meter = onDev;
    },
    upgrade: async (_: number, { subscription }: Meter) => void log.push(`charge upgrade of ${subscription?.id}`),
    beforeChange: async () => void log.push('before'),
    afterChange: async () => void log.push('after'),
  };
  const parts = {
    payments: async () => (pays ? collected : undefined),
    enforceChangeLimit: async () => void log.push('limit'),
  };
  const random = { bytes: (size: number) => new Uint8Array(size) };
  const meters = metering(store as unknown as MeterStore, renewals(plans));
  const clock = { now: () => now * 1000 + 999 };
  return { ...subscriptionService(meters, parts, plans, clock, random), log, state };
}

describe('a new subscription', () => {
  it('starts immediately if plans are not charged', async () => {
    const { create, log, state } = serviceOf(free);
    const view = await create(1, 'dev_pass');
    expect(view).toMatchObject({ planId: 'dev_pass', status: 'active', monthlyCredits: 5000, creditsUsed: 0 });
    expect(view).not.toHaveProperty('proration');
    expect(view).not.toHaveProperty('paidUntil');
    expect([log, balance(state.meter)]).toEqual([['limit', 'write'], credits(5100)]);
  });

  it('counts towards the limit of changes if plans are charged, and is granted only by its payment', async () => {
    for (const meter of [free, ended]) {
      const { create, log } = serviceOf(meter, { pays: true });
      expect(await create(1, 'dev_pass')).toMatchObject({ id: 'sub-1', planId: 'dev_pass' });
      expect(log).toEqual(['limit', 'charge month']);
    }
  });

  it('to a plan without a price is not charged', async () => {
    const { create, log } = serviceOf(free, { pays: true });
    await create(1, 'freemium');
    expect(log).not.toContain('charge month');
  });

  it('counts once towards the limit, even if its write is repeated', async () => {
    const { create, log } = serviceOf(free, { overtaken: 2 });
    await create(1, 'dev_pass');
    expect(log).toEqual(['limit', 'write']);
  });

  it('is refused during an active one, and for a plan that is not self-serve or not sold', async () => {
    const { create, log } = serviceOf(onDev, { pays: true });
    await expect(create(1, 'pro_pass')).rejects.toMatchObject({ code: 'ALREADY_SUBSCRIBED' });
    await expect(create(1, 'enterprise')).rejects.toThrow('The enterprise plan is not self-serve. Contact sales.');
    const ended = serviceOf(free, { plans: (rank) => ({ ...planOfRank(rank), isSold: false }) });
    const unsold = { code: 'INSUFFICIENT_PERMISSIONS', message: 'The dev_pass plan is not sold.' };
    await expect(ended.create(1, 'dev_pass')).rejects.toMatchObject(unsold);
    expect([...log, ...ended.log]).toEqual([]);
  });
});

describe('a new subscription in the month of a cancelled one', () => {
  it('to the same plan resumes it without a charge', async () => {
    const { create, log, state } = serviceOf(cancelled, { pays: true });
    const view = await create(1, 'dev_pass');
    expect(view).toMatchObject({ id: 'sub-1', status: 'active' });
    expect(view).not.toHaveProperty('proration');
    expect([log, balance(state.meter)]).toEqual([['limit', 'before', 'write', 'after'], credits(5100)]);
  });

  it('to a larger plan is charged as an upgrade, and shows its price', async () => {
    const { create, log } = serviceOf(cancelled, { pays: true });
    expect(await create(1, 'pro_pass')).toMatchObject({ proration: { credits: 47_500 } });
    expect(log).toEqual(['limit', 'charge upgrade of sub-1']);
  });

  it('to a larger plan is an upgrade, with its price, if plans are not charged', async () => {
    const { create, preview, state } = serviceOf(cancelled);
    const { proration } = (await create(1, 'pro_pass')) as { proration?: unknown };
    expect(proration).toEqual(await serviceOf(cancelled).preview(1, 'pro_pass'));
    expect(state.meter).toMatchObject({ planRank: 4, subscription: { id: 'sub-1', status: 'active' } });
    await expect(preview(1, 'pro_pass')).rejects.toThrow('The subscription already has this plan.');
  });

  it('to a larger plan is refused while the month is not paid', async () => {
    const late = changed(cancelled, { paidUntil: since, unpaidSince: since });
    const { create, log } = serviceOf({ ...late, due: now + 1 }, { pays: true });
    await expect(create(1, 'pro_pass')).rejects.toThrow('The current month is not paid.');
    expect(log).toEqual([]);
  });
});

describe('an upgrade', () => {
  it('is prorated to the second, and granted by its payment if plans are charged', async () => {
    const { upgrade, log, state } = serviceOf(onDev, { pays: true });
    const { proration } = await upgrade(1, 'pro_pass');
    expect(proration).toMatchObject({ credits: 47_500, from: '2027-04-16T12:00:00.000Z' });
    expect([log, state.meter.planRank]).toEqual([['limit', 'charge upgrade of sub-1'], 2]);
  });

  it('is granted immediately if plans are not charged', async () => {
    const { upgrade, state } = serviceOf(onDev);
    expect(await upgrade(1, 'pro_pass')).toMatchObject({ planId: 'pro_pass', proration: { credits: 47_500 } });
    expect(balance(state.meter)).toBe(credits(5100 + 47_500));
    expect(state.entries).toMatchObject([{ type: 'grant', change: { kind: 'upgraded', plan: 'pro_pass' } }]);
  });

  it.each([
    [{ ...unpaid, due: now + 1 }, /^The current month is not paid\. A renewal takes about an hour/],
    [{ ...changed(unpaid, { paidUntil: now }), due: now + 1 }, /^The payment of the current month was refunded/],
    [cancelled, /^There is no active subscription to change\.$/],
  ] as const)('is refused without a charge %#', async (meter, message) => {
    const { upgrade, log } = serviceOf(meter, { pays: true });
    const refused = { code: 'INVALID_STATE', message: expect.stringMatching(message) };
    await expect(upgrade(1, 'pro_pass')).rejects.toMatchObject(refused);
    expect(log).toEqual([]);
  });

  it('names the other operation for a smaller plan, as a downgrade does for a larger one', async () => {
    const onPro = startSubscription(free, pro, 'sub-1', since, planOfRank).meter;
    await expect(serviceOf(onPro).upgrade(1, 'dev_pass')).rejects.toThrow(
      'newPlanId names a smaller plan; use PUT /subscription/downgrade-plan.',
    );
    await expect(serviceOf(onDev).downgrade(1, 'pro_pass')).rejects.toThrow(
      'newPlanId names a larger plan; use PUT /subscription/upgrade-plan.',
    );
    await expect(serviceOf(onDev).downgrade(1, 'dev_pass')).rejects.toThrow('already has this plan');
  });
});

describe('a subscription by its id', () => {
  it('is cancelled once, and resumed until its month ends', async () => {
    const { cancel, resume, log } = serviceOf(onDev, { pays: true });
    expect(await cancel(1, 'sub-1')).toMatchObject({ status: 'cancelled', endsAt: '2027-05-01T12:00:00.000Z' });
    await expect(cancel(1, 'sub-1')).rejects.toThrow('The subscription is already cancelled.');
    expect(await resume(1, 'sub-1')).toMatchObject({ status: 'active' });
    await expect(resume(1, 'sub-1')).rejects.toThrow('The subscription is active.');
    expect(log).toEqual(['limit', 'before', 'write', 'after', 'limit', 'before', 'write', 'after']);
    await expect(serviceOf(ended).resume(1, 'sub-1')).rejects.toThrow('The paid period has ended. Subscribe again.');
  });

  it('is found neither by another id nor without one', async () => {
    for (const meter of [onDev, free]) {
      const { cancel, resume, log } = serviceOf(meter);
      await expect(cancel(1, 'sub-2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(resume(1, 'sub-2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(log).toEqual([]);
    }
    expect(await serviceOf(free).current(1)).toBeNull();
  });
});

describe('an assigned plan', () => {
  it('is not charged, and no longer past due', async () => {
    const { assign, log, state } = serviceOf({ ...unpaid, due: now + 1 }, { pays: true });
    await assign(1, 'dev_pass');
    expect(state.meter.subscription).toEqual({ id: 'sub-1', planId: 'dev_pass', status: 'active' });
    expect(log).toEqual(['before', 'write', 'after']);
  });

  it('other than the current one begins immediately, with its own id and credits', async () => {
    for (const [meter, before] of [
      [onDev, 5100],
      [free, 100],
    ] as const) {
      const { assign, state } = serviceOf(meter);
      await assign(1, 'pro_pass');
      expect(state.meter).toMatchObject({ planRank: 4, period: { anchor: now, index: 0 } });
      expect(balance(state.meter)).toBe(credits(before + 100_000));
      expect(state.entries.at(-1)).toMatchObject({ change: { kind: 'assigned', plan: 'pro_pass' } });
    }
  });
});
