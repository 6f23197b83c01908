import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plansOf } from '#contract/billing/plans.ts';
import { bringCurrent, grantCredits, openMeter } from '#domain/billing/grants.ts';
import { cancel, resume, startSubscription } from '#domain/billing/subscription-changes.ts';
import { currentLots, maxLotsPerSource, mergedLots } from '#domain/meter/lots.ts';
import { balance, type Hold, type Meter } from '#domain/meter/meter.ts';
import {
  budgetBack,
  maxEndedCancellations,
  type RefundableCharge,
  refundableCharge,
  refund,
} from '#domain/meter/refund.ts';
import { credits, meterWith, start as startMs } from '#test/meter/meters.ts';

const plans = plansOf('listing');
const day = 86_400;
const start = startMs / 1000;
const service = 'transcription';
const model = 'svc-transcribe';

const opened = (): Meter => openMeter(1, start, plans).meter;
const held = (meter: Meter): number => currentLots(meter).reduce((sum, { remaining }) => sum + remaining, 0);

/** The state after an admission and a settlement. */
function charged(before: Meter, amount: number): { meter: Meter; charge: RefundableCharge } {
  const hold = { amount, deadline: start, service, model, keyId: 'key-1' } as const;
  const open = { ...before, spendable: before.spendable - amount, holds: new Map([['one', hold]]) };
  const settlement = {
    accountId: 1,
    requestId: 'one',
    hold,
    cost: amount,
    now: startMs,
    staleBuckets: [],
    expiryPassed: false,
  };
  const charge = refundableCharge(open, settlement);
  if (!charge) throw new Error('there is no lot');
  const used = { ...before.used, [service]: (before.used[service] ?? 0) + amount };
  return { meter: { ...open, holds: new Map(), used }, charge };
}

describe('refunded credits', () => {
  it('are added to the balance, deducted from the month’s usage and recorded, despite later grants', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.nat(1000),
        fc.array(fc.nat(500), { maxLength: 4 }),
        (amount, part, grants) => {
          const { meter, charge } = charged(opened(), amount);
          const later = grants.reduce((current, more) => grantCredits(current, more + 1, start + day).meter, meter);
          const back = Math.min(amount, part);
          const { meter: after, entries } = refund(later, charge, { amount: back }, start + 2 * day);
          expect(balance(after) - balance(later)).toBe(back);
          expect(after.used[service]).toBe(amount - back);
          expect(entries).toEqual([
            { type: 'refund', at: start + 2 * day, amount: back, service, model, requestId: 'one', keyId: 'key-1' },
          ]);
          expect(after.seq).toBe(later.seq + 1);
          expect(held(after)).toBe(balance(after));
        },
      ),
    );
  });

  it('keep the order of the lots, for any contents and later spending', () => {
    const lot = fc.record({ remaining: fc.nat(20), more: fc.nat(5), days: fc.integer({ min: 1, max: 90 }) });
    fc.assert(
      fc.property(fc.array(lot, { minLength: 1, maxLength: 4 }), fc.nat(100), (drawn, spent) => {
        const lots = drawn.map(({ remaining, more, days }, index) => ({
          id: index + 1,
          source: 'purchase' as const,
          granted: credits(remaining + more),
          remaining: credits(remaining),
          expiresAt: start + days * day,
        }));
        const there = lots.reduce((sum, { remaining }) => sum + remaining, 0);
        fc.pre(there - credits(spent) >= credits(2));
        const before = meterWith(0, { lots, spendable: there - credits(spent) });
        const { meter, charge } = charged(before, credits(2));
        const after = refund(meter, charge, { amount: credits(2) }, start).meter;
        expect(balance(after)).toBe(balance(before));
        expect(held(after)).toBe(balance(after));
        for (const { remaining, granted } of after.lots) expect(remaining).toBeLessThanOrEqual(granted);
        // Refunded credits expire with their lot, and nothing else does.
        const over = bringCurrent(after, start + 100 * day, plans);
        const changes = over.entries.reduce((sum, { amount }) => sum + amount, 0);
        expect(balance(over.meter)).toBe(balance(after) + changes);
      }),
    );
  });

  it('keep their original expiry', () => {
    const before = opened();
    const [lot] = before.lots;
    const { meter, charge } = charged(before, 10);
    expect(charge.lots).toEqual([{ id: lot?.id, source: lot?.source, expiresAt: lot?.expiresAt, amount: 10 }]);
    const granted = grantCredits(meter, 100, start + day).meter;
    const back = refund(granted, charge, { amount: 10 }, start + 2 * day).meter;
    expect(back.lots.find(({ expiresAt }) => expiresAt === lot?.expiresAt)?.remaining).toBe(lot?.remaining);
    const expired = bringCurrent(back, (lot?.expiresAt ?? 0) + 1, plans);
    expect(expired.entries.filter(({ type }) => type === 'expiry')).toMatchObject([{ amount: -(lot?.remaining ?? 0) }]);
  });

  it('return to their lots as if the call had cost only the rest', () => {
    const drawn = fc.array(fc.record({ amount: fc.nat(50), days: fc.integer({ min: 1, max: 90 }) }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(drawn, fc.nat(250), fc.nat(250), (made, cost, part) => {
        const lots = made.map(({ amount, days }, index) => {
          const remaining = credits(amount);
          return {
            id: index + 1,
            source: 'purchase' as const,
            granted: remaining,
            remaining,
            expiresAt: start + days * day,
          };
        });
        const spendable = lots.reduce((sum, { remaining }) => sum + remaining, 0);
        fc.pre(cost > 0 && credits(cost) <= spendable);
        const before = meterWith(0, { lots, spendable });
        const kept = Math.min(cost, part);
        const { meter, charge } = charged(before, credits(cost));
        const after = refund(meter, charge, { amount: credits(cost - kept) }, start).meter;
        const left = (one: Meter) => currentLots(one).map(({ expiresAt, remaining }) => [expiresAt, remaining]);
        const smaller = kept === 0 ? before : charged(before, credits(kept)).meter;
        expect(left(after)).toEqual(left(smaller));
      }),
    );
  });

  it('expire immediately if their lot has expired', () => {
    const { meter, charge } = charged(opened(), 10);
    const later = bringCurrent(meter, start + 40 * day, plans).meter;
    const back = refund(later, charge, { amount: 10 }, start + 40 * day);
    expect(balance(back.meter)).toBe(balance(later));
    expect(back.entries.map(({ type, amount }) => [type, amount])).toEqual([
      ['refund', 10],
      ['expiry', -10],
    ]);
  });

  it('name the price, key, budget and model of their charge if it has them', () => {
    const hold = { amount: 5, deadline: start, service, model: '', keyId: '' } as const;
    const named = { ...hold, model, keyId: 'key-1', price: '2s.1', budget: { id: 'b1', start } } as const;
    const chargeOf = (one: Hold) => {
      const settlement = { accountId: 1, requestId: 'one', hold: one, cost: 5, now: startMs };
      return refundableCharge(meterWith(5), { ...settlement, staleBuckets: [], expiryPassed: false })!;
    };
    const { price, keyId, budget } = chargeOf(named);
    expect({ price, keyId, model, budget }).toEqual({
      price: '2s.1',
      keyId: 'key-1',
      model,
      budget: { id: 'b1', start },
    });
    for (const name of ['price', 'budget', 'onResume']) expect(chargeOf(hold)).not.toHaveProperty(name);
    const entryOf = (one: Hold) => refund(meterWith(0), chargeOf(one), { amount: 5 }, start).entries[0];
    expect(entryOf(named)).toMatchObject({ price: '2s.1', keyId: 'key-1', model });
    for (const name of ['price', 'keyId', 'model', 'job']) expect(entryOf(hold)).not.toHaveProperty(name);
  });

  it('of expired purchased credits do not return to a later purchase', () => {
    const lot = { source: 'purchase', granted: 50, remaining: 50 } as const;
    const lots = [
      { ...lot, id: 1, expiresAt: start + day },
      { ...lot, id: 2, expiresAt: start + 20 * day },
    ];
    const { meter, charge } = charged(meterWith(100, { lots, lotsGranted: 2 }), 10);
    const later = bringCurrent(meter, start + day, plans).meter;
    const back = refund(later, charge, { amount: 10 }, start + day);
    expect(currentLots(back.meter)).toMatchObject([{ id: 2, remaining: 50 }]);
    expect(back.entries.map(({ type, amount }) => [type, amount])).toEqual([
      ['refund', 10],
      ['expiry', -10],
    ]);
  });

  describe('of a job that ends after its subscription', () => {
    const dev = { planId: 'dev_pass', plan: plans(2) };
    const subscribed = startSubscription(opened(), dev, 'sub-1', start, plans).meter;
    const { meter: running, charge } = charged(bringCurrent(subscribed, start + 5 * day, plans).meter, credits(2000));
    const cancelled = cancel(running, start + 5 * day).meter;
    const end = cancelled.subscription?.creditsExpireAt ?? 0;
    const lives = { 'the free plan': { planId: 'freemium', plan: plans(1) }, 'another paid plan': dev };

    it('expire on return once the credits of the cancelled plan have expired', () => {
      const over = bringCurrent(cancelled, end + 1, plans).meter;
      const back = refund(over, charge, { amount: credits(2000) }, end + 1);
      expect(balance(back.meter)).toBe(balance(over));
      expect(back.entries.map(({ type, at, amount }) => [type, at, amount])).toEqual([
        ['refund', end + 1, credits(2000)],
        ['expiry', end + 1, -credits(2000)],
      ]);
      expect(mergedLots(back.meter).map(({ source }) => source)).toEqual(['free']);
    });

    it.each(Object.entries(lives))('keep the expiry of the cancelled plan if %s has begun since', (_, plan) => {
      const begun = end - day;
      const over = startSubscription(cancelled, plan, 'sub-2', begun, plans).meter;
      const back = refund(over, charge, { amount: credits(2000) }, begun).meter;
      const lot = mergedLots(back).find(({ expiresAt }) => expiresAt === end);
      expect(lot).toMatchObject({ source: 'plan', granted: credits(5000), remaining: credits(4900 + 100) });
      const later = bringCurrent(back, end, plans);
      expect(later.entries).toEqual([{ type: 'expiry', at: end, amount: -credits(5000) }]);
    });
  });

  it('return to the lots of a cancelled subscription, even after a later one was cancelled and replaced', () => {
    const before = grantCredits(opened(), credits(5000), start).meter;
    const dev = { planId: 'dev_pass', plan: plans(2) };
    const subscribed = startSubscription(before, dev, 'sub-1', start, plans).meter;
    const cancelled = cancel(subscribed, start + day).meter;
    const { meter, charge } = charged(cancelled, credits(200));
    const replacedTwice = (from: Meter): Meter => {
      const second = startSubscription(from, dev, 'sub-2', start + 2 * day, plans).meter;
      return startSubscription(cancel(second, start + 3 * day).meter, dev, 'sub-3', start + 4 * day, plans).meter;
    };
    const lotsOf = (one: Meter) => currentLots(one).map(({ id, remaining }) => [id, remaining]);
    const back = refund(replacedTwice(meter), charge, { amount: credits(200) }, start + 4 * day).meter;
    expect(lotsOf(back)).toEqual(lotsOf(replacedTwice(cancelled)));
  });

  describe('of a call during a cancellation', () => {
    const before = grantCredits(opened(), credits(100), start).meter;
    const subscribed = startSubscription(before, { planId: 'dev_pass', plan: plans(2) }, 'sub-1', start, plans).meter;
    const cancelled = cancel(subscribed, start + day).meter;
    const { meter, charge } = charged(cancelled, credits(150));
    const back = (from: Meter) => refund(from, charge, { amount: credits(150) }, start + 2 * day).meter;
    const { subscription: _, ...ended } = meter;
    const endedWith = (...endedCancellations: number[]) => mergedLots(back({ ...ended, endedCancellations }));

    it('return to the lots that a call without the cancellation would have used, once it is revoked', () => {
      const resumed = (from: Meter) => resume(from, start + 2 * day).meter;
      expect(currentLots(back(resumed(meter)))).toEqual(currentLots(resumed(cancelled)));
      expect(currentLots(resumed(back(meter)))).toEqual(currentLots(resumed(cancelled)));
    });

    it('return to the lots that it used once the cancellation has ended, even if only later ones are known', () => {
      const { cancellation } = charge.onResume!;
      const later = Array.from({ length: maxEndedCancellations }, (__, index) => cancellation + 1 + index);
      expect(endedWith(cancellation)).toEqual(mergedLots(cancelled));
      expect(endedWith(...later)).toEqual(mergedLots(cancelled));
      expect(endedWith(...later.slice(1))).not.toEqual(mergedLots(cancelled));
    });
  });

  it('do not change the effect of a resumption', () => {
    const before = grantCredits(opened(), credits(100), start).meter;
    const dev = { planId: 'dev_pass', plan: plans(2) };
    const subscribed = startSubscription(before, dev, 'sub-1', start, plans).meter;
    const { meter, charge } = charged(subscribed, credits(10));
    const spent = (one: Meter): Meter => ({ ...one, spendable: one.spendable - credits(150) });
    const left = (one: Meter) => currentLots(one).map(({ source, remaining }) => [source, remaining / credits(1)]);
    const without = resume(spent(cancel(meter, start + day).meter), start + 2 * day).meter;
    const refunded = refund(spent(cancel(meter, start + day).meter), charge, { amount: credits(10) }, start + 2 * day);
    expect(left(without)).toEqual([
      ['purchase', 40],
      ['plan', 5000],
    ]);
    expect(left(resume(refunded.meter, start + 2 * day).meter)).toEqual([
      ['free', 10],
      ['purchase', 40],
      ['plan', 5000],
    ]);
  });

  it('return in full even if more lots were granted since than an account can have', () => {
    const grants = (meter: Meter, count: number, from: number): Meter =>
      Array.from({ length: count }, (_, index) => start + (from + index) * day).reduce(
        (current, at) => grantCredits(current, credits(10), at).meter,
        meter,
      );
    const dev = { planId: 'dev_pass', plan: plans(2) };
    const subscribed = startSubscription(opened(), dev, 'sub-1', start, plans).meter;
    const { meter, charge } = charged(grants(subscribed, maxLotsPerSource, 0), credits(5240));
    const cancelled = grants(cancel(meter, start + 14 * day).meter, 4, 14);
    const back = refund(cancelled, charge, { amount: credits(5240) }, start + 18 * day);
    expect(balance(back.meter)).toBe(balance(cancelled) + credits(5240));
    expect(held(back.meter)).toBe(balance(back.meter));
    const resumed = resume(back.meter, start + 18 * day).meter;
    expect(held(resumed)).toBe(balance(resumed));
    expect(resumed.lots.every(({ remaining }) => remaining >= 0)).toBe(true);
  });

  it('from an earlier month do not change the use of this month', () => {
    const { meter, charge } = charged(opened(), 10);
    const later = { ...bringCurrent(meter, start + 40 * day, plans).meter, used: { [service]: 4 } };
    expect(refund(later, charge, { amount: 10 }, start + 40 * day).meter.used).toEqual({ [service]: 4 });
  });

  it('may be 0, and their entry ends the job', () => {
    const { meter, charge } = charged(opened(), 10);
    const back = refund(meter, charge, { amount: 0 }, start);
    expect([balance(back.meter), back.entries.length]).toEqual([balance(meter), 1]);
  });
});

describe('a key’s budget', () => {
  const { charge } = charged(opened(), 10);
  const limited: RefundableCharge = { ...charge, budget: { id: 'b1', start } };
  const spent = (budget: { start: number; used: number } | undefined): Meter => ({
    ...opened(),
    budgets: new Map(budget && [['b1', budget]]),
  });

  it.each([
    ['gets the refund in the period of the charge', limited, { start, used: 10 }, { id: 'b1', start, amount: 10 }],
    ['gets no refund in a later period', limited, { start: start + day, used: 10 }, undefined],
    ['gets no refund above its use', limited, { start, used: 9 }, undefined],
    ['gets no refund if it no longer exists', limited, undefined, undefined],
    ['gets no refund of 0 credits', limited, { start, used: 10 }, undefined, 0],
    ["gets no refund for another key's charge", charge, { start, used: 10 }, undefined],
  ])('%s', (_, kept, budget, expected, amount = 10) => {
    expect(budgetBack(spent(budget), kept, amount)).toEqual(expected);
  });
});
