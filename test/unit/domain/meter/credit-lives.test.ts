import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { monthlyGrant, planOfRank } from '#contract/billing/plans.ts';
import { prices, type ServiceName } from '#contract/billing/prices.ts';
import { models } from '#contract/inference/models.ts';
import { routes } from '#contract/routes.ts';
import { limits } from '#contract/shared/limits.ts';
import { bringCurrent, entriesPerWrite, grantCredits, openMeter } from '#domain/billing/grants.ts';
import { graceSeconds } from '#domain/meter/admission.ts';
import { currentLots, maxLotsPerSource } from '#domain/meter/lots.ts';
import { type Settled, balance, isSubscribed, type Meter } from '#domain/meter/meter.ts';
import { periodStart } from '#domain/meter/periods.ts';
import { maxEndedCancellations } from '#domain/meter/refund.ts';
import { newRequestId } from '#domain/shared/credential.ts';
import { budgetName, budgetRow, keyRow } from '#repositories/meter/key-rows.ts';
import { holdRow, maxItemBytes, meterOf, newMeterRow } from '#repositories/meter/meter-item.ts';
import { ambient } from '#runtime/process.ts';
import { itemBytes } from '#test/database/item-size.ts';
import { atLength, patience, times } from '#test/many.ts';
import { credits } from '#test/meter/meters.ts';
import { acts } from '#test/meter/owner-acts.ts';

const day = 86_400;
const born = Date.UTC(2027, 0, 31, 12) / 1000;
const step = fc.record({
  wait: fc.oneof(
    { weight: 5, arbitrary: fc.nat(60) },
    { weight: 3, arbitrary: fc.nat(3 * day) },
    { weight: 1, arbitrary: fc.nat(35 * day) },
  ),
  act: fc.constantFrom(...Object.keys(acts)),
  rank: fc.integer({ min: 1, max: 4 }),
  spent: fc.oneof(fc.constant(0), fc.nat(credits(30)), fc.nat(credits(50_000))),
});

/** Plan grants by the start of their month, with the most expensive plan of the account in that month. */
class Months {
  readonly granted = new Map<number, number>();
  readonly mostExpensive = new Map<number, number>();

  add(month: number, { meter, entries }: Settled, of: (at: number) => number = () => month): void {
    this.mostExpensive.set(month, Math.max(this.mostExpensive.get(month) ?? 0, meter.planRank));
    for (const { type, amount, at } of entries) {
      if (type !== 'grant') continue;
      this.granted.set(of(at), (this.granted.get(of(at)) ?? 0) + amount);
      this.mostExpensive.set(of(at), Math.max(this.mostExpensive.get(of(at)) ?? 0, meter.planRank));
    }
  }

  overMinted(): number[] {
    const grantOf = (month: number) => credits(monthlyGrant(planOfRank(this.mostExpensive.get(month) ?? 1)));
    return [...this.granted].filter(([month, amount]) => amount > grantOf(month)).map(([month]) => month);
  }
}

function rightful({ meter, entries }: Settled, sum: number): void {
  expect(balance(meter)).toBe(sum);
  expect(meter.spendable).toBeGreaterThanOrEqual(0);
  expect(currentLots(meter).reduce((total, { remaining }) => total + remaining, 0)).toBe(sum);
  const plan = meter.lots.filter(({ source }) => source === 'plan');
  const bought = meter.lots.filter(({ source }) => source === 'purchase');
  expect(plan.length).toBeLessThanOrEqual(8);
  expect(bought.length).toBeLessThanOrEqual(maxLotsPerSource);
  expect(itemBytes(newMeterRow(meter, entries))).toBeLessThanOrEqual(4096);
}

describe('a year of random account actions', () => {
  it(
    'grants at most the most expensive plan of each month, with exact sums and a small item',
    () => {
      const life = fc.array(step, { minLength: 40, maxLength: 120, size: 'max' });
      fc.assert(
        fc.property(life, (steps) => {
          const months = new Months();
          let [now, sum] = [born, credits(100)];
          let { meter } = openMeter(1, born, planOfRank);
          for (const { wait, act, rank, spent } of steps) {
            now += wait;
            if (now > born + 365 * day) break;
            const wasSubscribed = isSubscribed(meter);
            const settled = bringCurrent(meter, now, planOfRank);
            if (wasSubscribed) months.add(periodStart(settled.meter.period), settled, (at) => at);
            const done = acts[act]!(settled.meter, rank, now);
            if (done && act !== 'topUp') months.add(periodStart(done.meter.period), done);
            const after = done ?? settled;
            for (const { amount } of [...settled.entries, ...(done?.entries ?? [])]) sum += amount;
            rightful(after, sum);
            const charged = Math.min(spent, after.meter.spendable);
            meter = { ...after.meter, spendable: after.meter.spendable - charged };
            sum -= charged;
          }
          expect(months.overMinted()).toEqual([]);
        }),
        { endOnFailure: true, numRuns: atLength(100, 10_000) },
      );
    },
    patience,
  );
});

describe('the credit lots of an account', () => {
  it('are read from rows of earlier versions, whose lots have no ids', () => {
    const { meter } = openMeter(1, born, planOfRank);
    const { gn: _none, ...row } = newMeterRow(grantCredits(meter, credits(7), born).meter, []);
    const lots = (row['g'] as unknown[][]).map((lot) => lot.slice(0, 4));
    const { lotsGranted, lots: read } = meterOf({ ...row, g: lots });
    expect([lotsGranted, ...read.map(({ id, source, remaining }) => [id, source, remaining])]).toEqual([
      0,
      [-1, 'free', credits(100)],
      [-2, 'purchase', credits(7)],
    ]);
  });

  it('are merged if source and expiry are equal', () => {
    let { meter } = openMeter(1, born, planOfRank);
    for (let count = 0; count < 5; count++) ({ meter } = grantCredits(meter, credits(7), born));
    expect(currentLots(meter).map(({ source, granted, remaining }) => [source, granted, remaining])).toEqual([
      ['free', credits(100), credits(100)],
      ['purchase', credits(35), credits(35)],
    ]);
  });

  it('stay few after any number of grants, because those with the closest expiries are merged', () => {
    let { meter } = openMeter(1, born, planOfRank);
    const days = [...times(maxLotsPerSource, (index) => index), maxLotsPerSource - 0.5];
    for (const count of days) ({ meter } = grantCredits(meter, credits(1), born + count * day));
    const bought = currentLots(meter).filter(({ source }) => source === 'purchase');
    expect(bought).toHaveLength(maxLotsPerSource);
    expect(bought.map(({ remaining }) => remaining / credits(1))).toEqual([...Array(maxLotsPerSource - 1).fill(1), 2]);
    expect(balance(meter)).toBe(credits(100 + maxLotsPerSource + 1));
  });
});

describe('the stored item of an account', () => {
  it.each([0, 5, 100, 1000])(
    'stays within its size limit with the maximum of everything and %i running calls',
    (calls) => {
      const max = Number.MAX_SAFE_INTEGER;
      const moment = 4_102_444_799;
      const { meter } = openMeter(max, moment, planOfRank);
      const id = (index: number, length: number) => String(index).padStart(length, 'x');
      const budget = { id: id(0, 9), start: moment };
      const longestName = 'm'.repeat(64);
      const hold = {
        amount: max,
        deadline: moment,
        service: 'completion',
        model: longestName,
      } as const;
      const maxCallSeconds =
        Math.max(...Object.values(routes).map(({ timeoutSeconds }) => timeoutSeconds)) + graceSeconds;
      const names = Object.keys(prices) as ServiceName[];
      // One grant per second for three years.
      const maxLots = 99_999_999;
      const lots = (['free', 'plan', 'purchase'] as const).flatMap((source) =>
        times(source === 'free' ? 2 : maxLotsPerSource, () => ({
          id: maxLots,
          source,
          granted: max,
          remaining: max,
          expiresAt: moment,
        })),
      );
      const fullest: Meter = {
        ...meter,
        seq: max,
        admitted: max,
        ceiling: max,
        spendable: max,
        holds: new Map(
          times(calls, (index) => [
            id(index, newRequestId(ambient.random).length),
            { ...hold, keyId: id(0, 43), budget },
          ]),
        ),
        lots,
        lotsGranted: maxLots,
        endedCancellations: times(maxEndedCancellations, () => max),
        // A finished call removes the buckets it found that no longer count.
        buckets: new Map(times(21 + maxCallSeconds / 3, (index) => [(moment / 3 + index).toString(36), max])),
        used: Object.fromEntries(names.map((name) => [name, max])),
        subscription: {
          id: id(0, 19),
          planId: 'enterprise',
          status: 'cancelled',
          pending: { planId: 'freemium', planRank: 1 },
          endsAt: moment,
          creditsExpireAt: moment,
          cancellation: { seq: max, lots },
        },
        marks: times(4, () => 'abcdefgh'),
        alerts: {
          rules: times(20, (index) => ({ kind: 'key_percent' as const, value: 100, keyId: id(index, 43) })),
          channels: ['email', 'webhook'],
        },
      };
      const entry = { type: 'expiry', at: moment, amount: -max } as const;
      const entries = times(entriesPerWrite + 3 * maxLotsPerSource, () => entry);
      const limited = keyRow({
        expiresAt: 253_402_300_799,
        limit: { budget: budget.id, amount: max, period: 'month' },
        models: models.map(({ id: model }) => model),
        services: names,
      });
      const keys = Object.fromEntries(times(limits.activeKeys, (index) => [id(index, 43), limited]));
      // Buckets without a usable key are removed when a key is limited.
      const budgets = times(limits.usableKeys + 1, (index) => [
        budgetName(id(index, 9)),
        budgetRow({ start: moment, used: max }),
      ]);
      const item = {
        ...newMeterRow(fullest, entries),
        ...Object.fromEntries(budgets),
        k: keys,
        h: rowOfStreams(fullest),
        x: 'suspended',
        hd: moment,
      };
      const bytes = itemBytes(item);
      expect(bytes).toBeLessThanOrEqual(maxItemBytes.atRest + calls * maxItemBytes.perCall);
      expect(bytes).toBeGreaterThan((maxItemBytes.atRest + calls * maxItemBytes.perCall) * 0.9);
      // One SQS message must be able to carry it (docs/adr/0011-typed-jobs.md).
      expect(Buffer.byteLength(JSON.stringify(marshall(item)))).toBeLessThan(1024 ** 2);
      expect(bytes).toBeLessThan(400 * 1024);
    },
  );
});

const rowOfStreams = ({ holds }: Meter) =>
  Object.fromEntries([...holds].map(([name, hold]) => [name, holdRow({ ...hold, delivered: 0 })]));
