import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { addMonths, monthsSince } from '#contract/shared/time.ts';
import { bringCurrent, openMeter } from '#domain/billing/grants.ts';
import { startSubscription } from '#domain/billing/subscription-changes.ts';
import { currentLots } from '#domain/meter/lots.ts';
import { balance, type LedgerEntry, type Meter } from '#domain/meter/meter.ts';
import { monthsAfter } from '#test/meter/account-grants.ts';
import { credits } from '#test/meter/meters.ts';

const at = (text: string): number => Date.parse(`${text}Z`) / 1000;
const day = 86_400;

/** The days on which months end: 28 to 31, in a common and in a leap year, including the leap day. */
const starts = ['2027-01-28', '2027-01-29', '2027-01-30', '2027-01-31', '2027-02-28', '2027-08-31', '2028-02-29'];

/** Calls every day, mostly small, some larger than a month's grant. Returns the events of each day. */
function* twoYears(first: Meter, from: number): Generator<{ now: number; meter: Meter; entries: LedgerEntry[] }> {
  let meter = first;
  for (let count = 0; count <= 731; count++) {
    const now = from + count * day;
    const entries: LedgerEntry[] = [];
    while (meter.due <= now) {
      const settled = bringCurrent(meter, now, planOfRank);
      entries.push(...settled.entries);
      ({ meter } = settled);
    }
    yield { now, meter, entries };
    const spent = Math.min(meter.spendable, count % 97 === 96 ? credits(7000) : credits(count % 150));
    meter = { ...meter, spendable: meter.spendable - spent };
  }
}

describe('the calendar', () => {
  it('agrees with an independent implementation for every day of four years, up to 40 months ahead', () => {
    for (let start = at('2027-01-01T21:07:09'); start < at('2031-01-01T00:00:00'); start += day) {
      for (const months of [0, 1, 2, 3, 11, 12, 13, 39, 40]) {
        const moment = addMonths(start, months);
        expect(moment).toBe(monthsAfter(start, months));
        expect([monthsSince(start, moment), monthsSince(start, moment + 1)]).toEqual([months, months]);
        if (months > 0) expect(monthsSince(start, moment - 1)).toBe(months - 1);
      }
    }
  });
});

describe.each(starts)('24 months from %s, with calls every day', (start) => {
  const from = at(`${start}T13:45:00`);
  const dev = { planId: 'dev_pass', plan: planOfRank(2) };
  const opened = openMeter(1, from, planOfRank).meter;
  const first = startSubscription(opened, dev, 'sub', from, planOfRank).meter;

  it('grant once on each billing date, and keep each grant for exactly three months more', () => {
    const grants: number[] = [];
    for (const { now, meter, entries } of twoYears(first, from)) {
      grants.push(...entries.filter(({ type }) => type === 'grant').map(({ at }) => at));
      const plan = currentLots(meter).filter(({ source }) => source === 'plan');
      expect(plan.length).toBeLessThanOrEqual(4);
      for (const { expiresAt } of plan) {
        expect(expiresAt).toBeGreaterThan(now);
        expect(expiresAt).toBeLessThanOrEqual(monthsAfter(from, grants.length + 4));
      }
    }
    const months = Array.from({ length: grants.length }, (_, month) => monthsAfter(from, month + 1));
    expect(grants).toEqual(months);
    expect(grants.length).toBeGreaterThanOrEqual(24);
  });

  it('spend the oldest grant first, and no expired one', () => {
    let before = first;
    for (const { now, meter } of twoYears(first, from)) {
      const left = new Map(currentLots(meter).map((lot) => [lot.expiresAt, lot.remaining]));
      const touched = currentLots(before).filter(
        (lot) => lot.expiresAt > now && left.get(lot.expiresAt) !== lot.remaining,
      );
      const oldest = currentLots(before)
        .filter((lot) => lot.expiresAt > now)
        .slice(0, touched.length);
      expect(touched).toEqual(oldest);
      for (const lot of touched.slice(0, -1)) expect(left.has(lot.expiresAt)).toBe(false);
      expect(currentLots(meter).every(({ expiresAt }) => expiresAt > now)).toBe(true);
      expect(currentLots(meter).reduce((sum, { remaining }) => sum + remaining, 0)).toBe(balance(meter));
      before = meter;
    }
  });
});
