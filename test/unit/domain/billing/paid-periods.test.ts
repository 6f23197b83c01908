import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { isoOfSeconds } from '#contract/shared/time.ts';
import { bringCurrent, openMeter } from '#domain/billing/grants.ts';
import { payPeriod, refusalOf } from '#domain/billing/paid-periods.ts';
import { cancel, startSubscription } from '#domain/billing/subscription-changes.ts';
import { subscriptionView } from '#domain/billing/subscriptions.ts';
import { balance, type Meter } from '#domain/meter/meter.ts';
import { at, pro } from '#test/meter/billing-cases.ts';
import { credits } from '#test/meter/meters.ts';

const day = 86_400;
const since = at('2027-01-15T12:00:00Z');
const [february, march, april] = ['02', '03', '04'].map((month) => at(`2027-${month}-15T12:00:00Z`)) as [
  number,
  number,
  number,
];
const plan = pro.plan.name;
const now = (meter: Meter, time: number) => bringCurrent(meter, time, planOfRank);

/** A plan that is paid until 15 February. */
function paidUntilFebruary(): Meter {
  const { meter } = startSubscription(openMeter(1, since, planOfRank).meter, pro, 'sub-1', since, planOfRank);
  return { ...meter, subscription: { ...meter.subscription!, paidUntil: february } };
}

const unpaid = now(paidUntilFebruary(), february);

describe('a month of a paid plan', () => {
  it('begins without credits until it is paid, and announces when the plan would end', () => {
    const change = { kind: 'payment_due', plan, effectiveAt: february + 7 * day };
    expect(unpaid.entries.at(-1)).toEqual({ type: 'adjustment', at: february, amount: 0, change });
    expect(balance(unpaid.meter)).toBe(credits(100_000));
    expect(unpaid.meter).toMatchObject({ planRank: 4, subscription: { unpaidSince: february } });
    expect(unpaid.meter.due).toBe(february + 7 * day);
  });

  it('is granted once it is paid, with the payment in its entries', () => {
    const paid = payPeriod(unpaid.meter, { start: february, end: march }, 'order-1', february + day, planOfRank);
    expect(paid.entries).toMatchObject([
      { type: 'grant', amount: credits(100_000), change: { kind: 'renewed', plan }, payment: 'order-1' },
    ]);
    expect(paid.meter.subscription).toEqual({ id: 'sub-1', planId: pro.planId, status: 'active', paidUntil: march });
    expect(paid.meter.seq).toBe(unpaid.meter.seq + 1);
  });

  it('that is paid ahead is only recorded, and granted when it begins', () => {
    const before = paidUntilFebruary();
    const paid = payPeriod(before, { start: february, end: march }, 'order-1', february - day, planOfRank);
    const change = { kind: 'paid', plan, effectiveAt: march };
    expect(paid.entries).toEqual([{ type: 'adjustment', at: february - day, amount: 0, change, payment: 'order-1' }]);
    expect(balance(paid.meter)).toBe(balance(before));
    expect(now(paid.meter, february).entries.at(-1)).toMatchObject({ type: 'grant', change: { kind: 'renewed' } });
  });

  it('that stays unpaid for seven days ends the plan, whose credits can be spent for another 30 days', () => {
    const end = february + 7 * day;
    const ended = now(unpaid.meter, end);
    const change = { kind: 'ended_unpaid', plan, effectiveAt: end };
    expect(ended.entries).toEqual([{ type: 'adjustment', at: end, amount: 0, change }]);
    expect(ended.meter).toMatchObject({
      planRank: 1,
      subscription: { status: 'cancelled', endsAt: end, creditsExpireAt: end + 30 * day },
    });
    expect(ended.meter.subscription).not.toHaveProperty('unpaidSince');
    expect(balance(now(ended.meter, end + 30 * day - 1).meter)).toBe(credits(100_000));
    expect(balance(now(ended.meter, end + 30 * day).meter)).toBe(credits(100));
  });
});

describe('a payment', () => {
  const meter = paidUntilFebruary();
  const { paidUntil: _, ...assigned } = meter.subscription!;

  it.each([
    ['follows the paid time', meter, february, march, undefined],
    ['was made before', meter, since, february, 'repeated'],
    ['leaves a gap', meter, march, april, 'gap'],
    ['is for a cancelled plan', cancel(meter, since + day, planOfRank).meter, february, march, 'ended'],
    ['is for an assigned plan', { ...meter, subscription: assigned }, february, march, 'ended'],
    ['is for an account without a plan', { ...meter, subscription: undefined }, february, march, 'ended'],
  ] as const)('that %s is judged as such', (_, of, start, end, refusal) => {
    expect(refusalOf(of as Meter, { start, end })).toBe(refusal);
  });
});

describe('the subscription that its owner sees', () => {
  const view = (meter: Meter, time: number) => subscriptionView(meter, planOfRank, time);

  it('shows until when it is paid', () => {
    const { paidUntil } = view(paidUntilFebruary(), since);
    expect(paidUntil).toBe(isoOfSeconds(february));
  });

  it('is being renewed for three hours, then past due', () => {
    const renewal = view(unpaid.meter, february + 3 * 3600 - 1);
    expect(renewal).toMatchObject({ renewalPendingSince: isoOfSeconds(february) });
    expect(renewal).not.toHaveProperty('pastDue');
    const late = view(unpaid.meter, february + 3 * 3600);
    expect(late).toMatchObject({
      pastDue: { since: isoOfSeconds(february), endsAt: isoOfSeconds(february + 7 * day), reason: 'payment_due' },
    });
    expect(late).not.toHaveProperty('renewalPendingSince');
  });

  it('is past due immediately if the payment of its month was returned', () => {
    const returned = { ...unpaid.meter.subscription!, paidUntil: march };
    expect(view({ ...unpaid.meter, subscription: returned }, february)).toMatchObject({
      pastDue: { reason: 'payment_returned' },
    });
  });
});
