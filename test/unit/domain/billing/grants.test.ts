import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { addMonths } from '#contract/shared/time.ts';
import { bringCurrent, entriesPerWrite, openMeter } from '#domain/billing/grants.ts';
import { startSubscription } from '#domain/billing/subscription-changes.ts';
import { currentLots } from '#domain/meter/lots.ts';
import { balance, type Meter } from '#domain/meter/meter.ts';
import { periodEnd } from '#domain/meter/periods.ts';
import { at, dev, pro, spend } from '#test/meter/billing-cases.ts';
import { credits } from '#test/meter/meters.ts';

const day = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** The earlier hold, if any, is released. `charged` is spent, and at most `held` is held again. */
function withHold(meter: Meter, charged: number, held: number): Meter {
  const free = balance(meter) - charged;
  const amount = Math.min(held, free);
  const hold = { amount, deadline: 4_000_000_000, service: 'chat', model: 'svc-1', keyId: 'key-1' } as const;
  return { ...meter, spendable: free - amount, holds: new Map([['call', hold]]) };
}

describe('billing months', () => {
  it.each([
    ['2027-01-31', ['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']],
    ['2028-01-31', ['2028-02-29', '2028-03-31', '2028-04-30', '2028-05-31']],
    ['2027-12-30', ['2028-01-30', '2028-02-29', '2028-03-30', '2028-04-30']],
  ])('from the %s end on the last day of shorter months, and on the same day otherwise', (anchor, days) => {
    expect(days.map((_, month) => day(addMonths(at(`${anchor}T10:30:00Z`), month + 1)))).toEqual(days);
  });

  it('keep the time of day, to the second', () => {
    expect(addMonths(at('2027-01-31T23:59:59Z'), 1)).toBe(at('2027-02-28T23:59:59Z'));
  });
});

describe('the free allowance', () => {
  const opened = openMeter(1, at('2027-01-15T08:00:00Z'), planOfRank).meter;

  it('is not granted by an offer whose smallest plan has a price', () => {
    const paid = (rank: number) => ({ ...planOfRank(rank), price: planOfRank(rank).price || 20 });
    const { meter, entries } = openMeter(1, at('2027-01-15T08:00:00Z'), paid);
    expect([meter.spendable, meter.lots, entries]).toEqual([0, [], []]);
    const later = bringCurrent(meter, at('2027-06-01T00:00:00Z'), paid);
    expect([later.meter.spendable, later.entries]).toEqual([0, []]);
  });

  it('is granted each month, and its unused part expires without rolling over', () => {
    const { meter, entries } = bringCurrent(spend(opened, credits(30)), at('2027-02-15T08:00:00Z'), planOfRank);
    expect(entries.map(({ type, amount }) => [type, amount])).toEqual([
      ['expiry', -credits(70)],
      ['grant', credits(100)],
    ]);
    expect(meter).toMatchObject({ spendable: credits(100), due: at('2027-03-15T08:00:00Z'), used: {} });
  });

  it('is the same after a year without requests as after daily requests', () => {
    let daily = opened;
    for (let now = at('2027-01-16T08:00:00Z'); now <= at('2028-01-20T08:00:00Z'); now += 86_400) {
      daily = bringCurrent(daily, now, planOfRank).meter;
    }
    expect(bringCurrent(opened, at('2028-01-20T08:00:00Z'), planOfRank).meter).toEqual(daily);
  });
});

describe('a subscription', () => {
  const since = at('2027-01-31T12:00:00Z');
  const subscribed = startSubscription(openMeter(1, since, planOfRank).meter, pro, 'sub-1', since, planOfRank).meter;

  it('grants the plan each month and rolls credits over for three months, so that four grants are alive', () => {
    const later = bringCurrent(subscribed, at('2027-09-01T00:00:00Z'), planOfRank).meter;
    expect(currentLots(later).map(({ granted, expiresAt }) => [granted, day(expiresAt)])).toEqual([
      [credits(100_000), '2027-09-30'],
      [credits(100_000), '2027-10-31'],
      [credits(100_000), '2027-11-30'],
      [credits(100_000), '2027-12-31'],
    ]);
  });

  it('spends the grant with the earliest expiry first', () => {
    const later = bringCurrent(subscribed, at('2027-04-01T00:00:00Z'), planOfRank).meter;
    const [oldest, second] = currentLots(spend(later, credits(100_010)));
    expect([oldest?.remaining, second?.remaining]).toEqual([credits(99_990), credits(100_000)]);
  });

  it('applies its rate limit to the calls of the minute before it', () => {
    const free: Meter = {
      ...openMeter(1, since, planOfRank).meter,
      admitted: 7,
      ceiling: 17,
      buckets: new Map([['x', 12]]),
    };
    const { meter } = startSubscription(free, pro, 'sub-1', since, planOfRank);
    expect([meter.ceiling, meter.buckets.get('x')]).toEqual([2007, 2002]);
  });
});

describe('a meter that is years behind', () => {
  it('is brought forward in writes of bounded size, with the same result as continuously', () => {
    const since = at('2027-01-31T12:00:00Z');
    const behind = startSubscription(openMeter(1, since, planOfRank).meter, dev, 'sub-1', since, planOfRank).meter;
    const now = addMonths(since, 120);
    const sizes: number[] = [];
    let meter = behind;
    for (; meter.due <= now;) {
      const settled = bringCurrent(meter, now, planOfRank);
      sizes.push(settled.entries.length);
      ({ meter } = settled);
    }
    expect(sizes.slice(0, -1).filter((size) => size < entriesPerWrite || size > entriesPerWrite + 1)).toEqual([]);
    expect(sizes.length).toBeGreaterThan(3);
    let monthly = behind;
    for (let month = 1; month <= 120; month++) {
      monthly = bringCurrent(monthly, addMonths(since, month), planOfRank).meter;
    }
    expect(meter).toEqual(monthly);
  });
});

describe('after any spending, holds and waits', () => {
  const step = fc.record({
    wait: fc.integer({ min: 0, max: 70 * 86_400 }),
    spent: fc.integer({ min: 0, max: credits(120) }),
    held: fc.integer({ min: 0, max: credits(20) }),
  });

  it('the entries and the lots add up to the balance, and no expired credits can be spent', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(step, { maxLength: 30 }), (subscribes, steps) => {
        let now = at('2027-01-31T12:00:00Z');
        const first = openMeter(1, now, planOfRank);
        const begun = subscribes
          ? startSubscription(first.meter, dev, 'sub-1', now, planOfRank)
          : { meter: first.meter, entries: [] };
        let { meter } = begun;
        let sum = [...first.entries, ...begun.entries].reduce((total, { amount }) => total + amount, 0);
        for (const { wait, spent, held } of steps) {
          now += wait;
          const settled = bringCurrent(meter, now, planOfRank);
          sum += settled.entries.reduce((total, { amount }) => total + amount, 0);
          ({ meter } = settled);
          expect(balance(meter)).toBe(sum);
          expect(currentLots(meter).reduce((total, { remaining }) => total + remaining, 0)).toBe(sum);
          expect(currentLots(meter).every(({ expiresAt }) => expiresAt > now) || meter.holds.size > 0).toBe(true);
          expect(meter.spendable).toBeGreaterThanOrEqual(0);
          expect(meter.due).toBeGreaterThan(now);
          expect(meter.due).toBeLessThanOrEqual(periodEnd(meter.period));
          const charged = Math.min(spent, balance(meter));
          sum -= charged;
          meter = withHold(meter, charged, held);
        }
      }),
    );
  });
});
