import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlanLimits, planOfRank, type Plans, termsIn } from '#contract/billing/plans.ts';
import { addMonths } from '#contract/shared/time.ts';
import { balanceView } from '#domain/billing/balance.ts';
import { bringCurrent, openMeter } from '#domain/billing/grants.ts';
import { cancel, downgrade, prorate, startSubscription, upgrade } from '#domain/billing/subscription-changes.ts';
import { subscriptionView } from '#domain/billing/subscriptions.ts';
import type { LedgerEntry, Meter } from '#domain/meter/meter.ts';
import { hasFeature, planOfMeter } from '#domain/meter/periods.ts';
import { meterOf, newMeterRow } from '#repositories/meter/meter-item.ts';
import { at } from '#test/meter/billing-cases.ts';

const begin = at('2027-01-31T10:00:00Z');
const day = 86_400;

/** The offer in force; tests change it between months. */
function sale() {
  const changes = new Map<number, Partial<PlanLimits>>();
  const plans: Plans = (rank) => ({ ...planOfRank(rank), ...changes.get(rank) });
  return { plans, change: (rank: number, terms: Partial<PlanLimits>) => void changes.set(rank, terms) };
}

const chosen = (plans: Plans, rank: number) => ({ planId: plans(rank).name, plan: plans(rank) });
const subscribed = (plans: Plans, rank: number, now = begin): Meter =>
  startSubscription(openMeter(1, now, plans).meter, chosen(plans, rank), 'sub', now, plans).meter;

/** Renews until `end` through storage, and returns the entries after `meter`. */
function until(meter: Meter, end: number, plans: Plans): { meter: Meter; entries: LedgerEntry[] } {
  let now = meter;
  const entries: LedgerEntry[] = [];
  while (now.due <= end) {
    const settled = bringCurrent(meterOf(newMeterRow(now, [])), end, plans);
    entries.push(...settled.entries);
    now = settled.meter;
  }
  return { meter: now, entries };
}

const grants = (entries: readonly LedgerEntry[]): number[] =>
  entries.filter(({ type }) => type === 'grant').map(({ amount }) => amount / 1_000_000);
const limits = ({ maxConcurrentCalls, ceiling, admitted, callsPerMonth }: Meter) => ({
  maxConcurrentCalls,
  callsPerMinute: ceiling - admitted,
  callsPerMonth,
});

const other = {
  price: 1,
  creditsPerMonth: 7,
  callsPerMonth: 9,
  callsPerMinute: 3,
  maxConcurrentCalls: 2,
  features: [],
} satisfies Partial<PlanLimits>;

describe('a subscription to a plan that is then sold on other terms', () => {
  it.each([2, 3, 4])('keeps credits, limits, price and features of plan %i at every renewal', (rank) => {
    const { plans, change } = sale();
    const bought = subscribed(plans, rank);
    change(rank, other);
    const { meter, entries } = until(bought, addMonths(begin, 5), plans);
    const { creditsPerMonth, price, features } = planOfRank(rank);
    expect(grants(entries)).toEqual(Array.from({ length: 5 }, () => creditsPerMonth));
    expect(limits(meter)).toEqual(limits(bought));
    expect(termsIn(planOfMeter(meter, plans))).toEqual(termsIn(planOfRank(rank)));
    expect(balanceView(meter).quota.sms).toBe(creditsPerMonth);
    const { callsPerMonth, callsPerMinute, maxConcurrentCalls } = planOfRank(rank);
    expect(subscriptionView(meter, plans, 0)).toMatchObject({
      monthlyCredits: creditsPerMonth,
      price,
      terms: { callsPerMonth, callsPerMinute, maxConcurrentCalls, features },
    });
    expect([hasFeature(meter, 'messages'), hasFeature(meter, 'webhooks')]).toEqual([true, rank > 2]);
  });

  it('shows no terms while they equal the terms sold', () => {
    const { plans } = sale();
    expect(subscriptionView(subscribed(plans, 3), plans, 0)).not.toHaveProperty('terms');
  });

  it('ends with the paid period of a cancellation, after which the free limits of the offer apply', () => {
    const { plans, change } = sale();
    const bought = subscribed(plans, 3);
    change(1, { callsPerMinute: 4 });
    const cancelled = cancel(bought, begin + day).meter;
    const { meter } = until(cancelled, addMonths(begin, 1), plans);
    expect(meter).toMatchObject({ planRank: 1, maxConcurrentCalls: 5 });
    expect([meter.ceiling - meter.admitted, meter.terms]).toEqual([4, undefined]);
  });

  it('is replaced by the terms sold now with an upgrade, for the difference to the kept price', () => {
    const { plans, change } = sale();
    const bought = subscribed(plans, 2);
    change(2, { price: 1000 });
    change(3, { price: 50, creditsPerMonth: 6000 });
    const [from, to] = [planOfMeter(bought, plans), plans(3)];
    const proration = prorate(bought, from, to, begin);
    expect(proration).toMatchObject({ amount: 20.01, credits: 1000 });
    const { meter, entries } = until(
      upgrade(bought, chosen(plans, 3), proration, begin).meter,
      addMonths(begin, 1),
      plans,
    );
    expect([grants(entries), planOfMeter(meter, plans).price]).toEqual([[6000], 50]);
  });

  it('never pays back or takes credits with an upgrade to a plan that became cheaper', () => {
    const { plans, change } = sale();
    const bought = subscribed(plans, 3);
    change(4, { price: 10, creditsPerMonth: 10 });
    expect(prorate(bought, planOfMeter(bought, plans), plans(4), begin)).toMatchObject({ amount: 0, credits: 0 });
  });

  it('downgrades to the terms at which the smaller plan was chosen', () => {
    const { plans, change } = sale();
    const scheduled = downgrade(subscribed(plans, 4), chosen(plans, 2), begin + day).meter;
    change(2, other);
    const { meter, entries } = until(scheduled, addMonths(begin, 2), plans);
    expect(grants(entries)).toEqual([5000, 5000]);
    expect(limits(meter)).toMatchObject({ maxConcurrentCalls: 20, callsPerMinute: 100 });
  });

  it('follows the offer in an account without a subscription', () => {
    const { plans, change } = sale();
    const opened = openMeter(1, begin, plans).meter;
    change(1, { creditsPerMonth: 30, callsPerMinute: 2 });
    const { meter, entries } = until(opened, addMonths(begin, 1), plans);
    expect([grants(entries), meter.ceiling - meter.admitted]).toEqual([[30], 2]);
  });

  it('receives the terms of the first renewal if an earlier version stored none', () => {
    const { plans, change } = sale();
    const { terms: _none, ...old } = subscribed(plans, 3);
    const { meter } = until(old, addMonths(begin, 1), plans);
    change(3, other);
    expect(planOfMeter(meter, plans).creditsPerMonth).toBe(25_000);
  });

  it('holds for any order of changes of the offer, the plan and the month', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('sell' as const), rank: fc.integer({ min: 2, max: 4 }), credits: fc.nat(9999) }),
      fc.record({ do: fc.constant('change' as const), rank: fc.integer({ min: 2, max: 4 }) }),
      fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 70 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { plans, change } = sale();
        let [now, meter] = [begin, subscribed(plans, 2)];
        let kept = 5000;
        let pending: number | undefined;
        for (const one of steps) {
          if (one.do === 'sell') change(one.rank, { creditsPerMonth: one.credits, price: one.credits / 100 });
          else if (one.do === 'wait') {
            now += one.days * day;
            const passed = until(meter, now, plans);
            const granted = grants(passed.entries);
            if (granted.length > 0) [kept, pending] = [pending ?? kept, undefined];
            expect(granted).toEqual(granted.map(() => kept));
            ({ meter } = passed);
          } else if (one.rank > meter.planRank) {
            const proration = prorate(meter, planOfMeter(meter, plans), plans(one.rank), now);
            expect(Math.min(proration.amount, proration.credits)).toBeGreaterThanOrEqual(0);
            ({ meter } = upgrade(meter, chosen(plans, one.rank), proration, now));
            [kept, pending] = [plans(one.rank).creditsPerMonth ?? 0, undefined];
          } else {
            ({ meter } = downgrade(meter, chosen(plans, one.rank), now));
            pending = one.rank === meter.planRank ? undefined : (plans(one.rank).creditsPerMonth ?? 0);
          }
          expect(subscriptionView(meter, plans, 0).monthlyCredits).toBe(kept);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a plan that ends', () => {
  const endsAt = at('2027-06-16T00:00:00Z');
  const notices = (entries: readonly LedgerEntry[]) =>
    entries.flatMap(({ at: time, change }) => (change?.kind === 'ending' ? [{ time, ...change }] : []));

  it.each<[what: string, bought: string, decided: string, notice: string, replaced: string]>([
    ['long before', '2027-01-10T10:00:00Z', '2027-01-11T00:00:00Z', '2027-06-10T10:00:00Z', '2027-07-10T10:00:00Z'],
    // 10 June to 10 July has 30 days; 20 May to 20 June has 31.
    [
      'long before, by a mid-month date',
      '2027-01-20T10:00:00Z',
      '2027-01-21T00:00:00Z',
      '2027-05-20T10:00:00Z',
      '2027-06-20T10:00:00Z',
    ],
    ['a day before', '2027-01-20T10:00:00Z', '2027-06-15T00:00:00Z', '2027-06-20T10:00:00Z', '2027-07-20T10:00:00Z'],
    ['afterwards', '2027-01-20T10:00:00Z', '2027-09-01T00:00:00Z', '2027-09-20T10:00:00Z', '2027-10-20T10:00:00Z'],
  ])('is announced and replaced if its end is set %s', (_, bought, decided, notice, replaced) => {
    const { plans, change } = sale();
    const before = until(subscribed(plans, 3, at(bought)), at(decided), plans);
    expect(notices(before.entries)).toEqual([]);
    change(3, { end: { at: endsAt, rank: 2 } });
    const late = until(before.meter, at('2028-01-01T00:00:00Z'), plans);
    expect(notices(late.entries)).toEqual([
      { time: at(notice), kind: 'ending', plan: 'smm_pass', effectiveAt: at(replaced) },
    ]);
    const change2 = late.entries.find((entry) => entry.change?.kind === 'replaced');
    expect(change2).toMatchObject({ at: at(replaced), amount: 5_000_000_000, change: { plan: 'dev_pass' } });
    expect(late.meter).toMatchObject({ planRank: 2, maxConcurrentCalls: 20, subscription: { planId: 'dev_pass' } });
    expect(termsIn(planOfMeter(late.meter, plans))).toEqual(termsIn(plans(2)));
  });

  it('is announced if it has no price, too', () => {
    const { plans, change } = sale();
    change(3, { price: null });
    const bought = subscribed(plans, 3, at('2027-01-20T10:00:00Z'));
    change(3, { price: null, end: { at: endsAt, rank: 2 } });
    expect(notices(until(bought, at('2027-05-21T00:00:00Z'), plans).entries)).toMatchObject([
      { time: at('2027-05-20T10:00:00Z'), plan: 'smm_pass', effectiveAt: at('2027-06-20T10:00:00Z') },
    ]);
  });

  it('is announced at least 30 days before, once, for any day of purchase, decision and end', () => {
    const days = fc.integer({ min: 0, max: 400 });
    fc.assert(
      fc.property(days, days, days, (bought, decided, ends) => {
        const { plans, change } = sale();
        const from = begin + bought * day;
        const before = until(subscribed(plans, 3, from), from + decided * day, plans);
        const end = begin + ends * day;
        change(3, { end: { at: end, rank: 2 } });
        const last = Math.max(end, from + decided * day) + 125 * day;
        const { entries, meter } = until(before.meter, last, plans);
        const [notice, ...more] = notices(entries);
        const replaced = entries.find((entry) => entry.change?.kind === 'replaced')!;
        expect([more, meter.planRank, notice?.effectiveAt]).toEqual([[], 2, replaced.at]);
        expect(replaced.at).toBeGreaterThanOrEqual(Math.max(end, notice!.time + 30 * day));
        // At most one renewal later than the first possible one.
        expect(replaced.at).toBeLessThanOrEqual(Math.max(end, from + decided * day + 31 * day + 30 * day) + 31 * day);
      }),
      { numRuns: 300 },
    );
  });

  it('shows its replacement after the notice, and keeps the plan if the deployer withdraws the end', () => {
    const { plans, change } = sale();
    change(3, { end: { at: endsAt, rank: 2 }, isSold: false });
    const bought = subscribed(plans, 3, at('2027-01-20T10:00:00Z'));
    expect(subscriptionView(bought, plans, 0)).not.toHaveProperty('replacement');
    const { meter } = until(bought, at('2027-05-21T00:00:00Z'), plans);
    expect(subscriptionView(meter, plans, 0)).toMatchObject({
      terms: { maxConcurrentCalls: 50 },
      replacement: { planId: 'dev_pass', from: '2027-06-20T10:00:00.000Z' },
    });
    change(3, {});
    const kept = until(meter, at('2027-08-01T00:00:00Z'), plans).meter;
    expect([kept.planRank, subscriptionView(kept, plans, 0).replacement]).toEqual([3, undefined]);
  });
});
