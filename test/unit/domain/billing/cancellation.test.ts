import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { monthlyGrant, planOfRank } from '#contract/billing/plans.ts';
import { addMonths } from '#contract/shared/time.ts';
import { bringCurrent, grantCredits, openMeter } from '#domain/billing/grants.ts';
import {
  type ChosenPlan,
  cancel,
  downgrade,
  resume,
  startSubscription,
  subscribe,
} from '#domain/billing/subscription-changes.ts';
import { currentLots } from '#domain/meter/lots.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { periodEnd, periodStart } from '#domain/meter/periods.ts';
import { at, dev, pro, spend } from '#test/meter/billing-cases.ts';
import { credits } from '#test/meter/meters.ts';

const spendSome = (meter: Meter, amount: number): Meter => spend(meter, Math.min(amount, meter.spendable));

/** Registers and subscribes immediately, cancels immediately or later. Returns the meter at each time. */
function cancelledLife(plan: ChosenPlan, registered: string, cancelled: string, moments: readonly string[]): Meter[] {
  const since = at(`${registered}T09:00:00Z`);
  const opened = spend(openMeter(1, since, planOfRank).meter, credits(100));
  const begun = startSubscription(opened, plan, 'sub-1', since, planOfRank).meter;
  const ended = cancel(begun, at(`${cancelled}T09:00:00Z`)).meter;
  return moments.map((moment) => bringCurrent(ended, at(`${moment}Z`), planOfRank).meter);
}

describe('a cancelled subscription', () => {
  it('is not followed by a free grant in the month that began before it', () => {
    const lives = cancelledLife(dev, '2027-01-02', '2027-01-02', ['2027-02-01T09:00:00', '2027-02-02T09:00:00']);
    expect(lives.map(({ spendable }) => spendable)).toEqual([credits(5000), credits(100)]);
    expect(lives[1]?.lots.filter(({ remaining }) => remaining > 0)).toMatchObject([
      { source: 'free', expiresAt: at('2027-03-02T09:00:00Z') },
    ]);
  });

  it('keeps its state, limits and credits until the paid month ends, even if that takes more than 30 days', () => {
    const moments = ['2027-01-31T09:00:00', '2027-02-01T08:59:59', '2027-02-01T09:00:00'];
    const lives = cancelledLife(pro, '2027-01-01', '2027-01-01', moments);
    expect(lives.map((meter) => [meter.planRank, meter.ceiling - meter.admitted, meter.maxConcurrentCalls])).toEqual([
      [4, 2000, 100],
      [4, 2000, 100],
      [1, 10, 5],
    ]);
    expect(lives.map(({ subscription }) => subscription?.status)).toEqual(['cancelled', 'cancelled', undefined]);
    expect(lives.map(({ spendable }) => spendable / credits(1))).toEqual([100_000, 100_000, 100]);
    const end = at('2027-02-01T09:00:00Z');
    expect(lives[0]?.subscription).toMatchObject({ endsAt: end, creditsExpireAt: end });
  });

  it('keeps its credits for 30 days, even if the paid month and its limits end first', () => {
    const moments = ['2027-02-01T08:59:59', '2027-02-01T09:00:00', '2027-02-19T08:59:59', '2027-02-19T09:00:00'];
    const lives = cancelledLife(pro, '2027-01-01', '2027-01-20', moments);
    expect(lives.map((meter) => [meter.planRank, meter.spendable / credits(1), meter.subscription?.status])).toEqual([
      [4, 100_000, 'cancelled'],
      [1, 100_000, 'cancelled'],
      [1, 100_000, 'cancelled'],
      [1, 100, undefined],
    ]);
  });

  it.each([
    ['the free plan', { planId: 'freemium', plan: planOfRank(1) }],
    ['a paid plan', pro],
  ])('of %s is resumed without a grant on the last day of its month', (_, plan) => {
    const [over] = cancelledLife(plan, '2027-01-01', '2027-01-01', ['2027-01-31T10:00:00']);
    const now = at('2027-01-31T11:00:00Z');
    const again = subscribe({ ...over!, callsThisMonth: 7 }, plan, 'sub-2', now, planOfRank).meter;
    expect([again.spendable, again.callsThisMonth, again.subscription]).toEqual([
      credits(monthlyGrant(plan.plan)),
      7,
      { id: 'sub-1', planId: plan.planId, status: 'active' },
    ]);
    expect([periodStart(again.period), periodEnd(again.period)]).toEqual(
      ['2027-01-01', '2027-02-01'].map((date) => at(`${date}T09:00:00Z`)),
    );
  });
});

describe('a resumed subscription', () => {
  /** Subscribes on a day of the coming years, then cancels and resumes after the given seconds, or does neither. */
  const life = fc.record({
    begins: fc.nat(1500),
    time: fc.nat(86_399),
    topUp: fc.nat(100),
    months: fc.nat(3),
    cancelled: fc.nat(31 * 86_400),
    resumed: fc.nat(31 * 86_400),
    spent: fc.tuple(fc.nat(credits(6000)), fc.nat(credits(6000)), fc.nat(credits(6000))),
    pending: fc.boolean(),
    after: fc.nat(150 * 86_400),
  });

  it('equals an uncancelled one except for its rows in the ledger', () => {
    fc.assert(
      fc.property(life, ({ begins, time, topUp, months, cancelled, resumed, spent, pending, after }) => {
        const since = at('2027-01-01T00:00:00Z') + begins * 86_400 + time;
        const start = grantCredits(openMeter(1, since, planOfRank).meter, credits(topUp), since).meter;
        let now = addMonths(since, months) + cancelled;
        const paid = startSubscription(start, pro, 'sub-1', since, planOfRank).meter;
        let before = spendSome(bringCurrent(paid, now, planOfRank).meter, spent[0]);
        if (pending) before = downgrade(before, dev, now).meter;
        const undone = cancel(before, now).meter;
        const end = Math.min(undone.subscription!.endsAt!, undone.subscription!.creditsExpireAt!);
        const until = (meter: Meter, moment: number) =>
          spendSome(bringCurrent(meter, moment, planOfRank).meter, spent[1]);
        now = Math.min(now + resumed, end - 1);
        const then = now + after;
        const lived = (meter: Meter) => spendSome(bringCurrent(meter, then, planOfRank).meter, spent[2]);
        const [one, other] = [lived(resume(until(undone, now), now).meter), lived(until(before, now))];
        expect(currentLots(one)).toEqual(currentLots(other));
        expect({ ...one, seq: 0, lots: [] }).toEqual({ ...other, seq: 0, lots: [] });
      }),
      { numRuns: 500 },
    );
  });
});
