import { describe, expect, it } from 'vitest';
import { addLot, changeLot, expireLots, freeIn, type GrantedLot, maxLotsPerSource } from '#domain/meter/lots.ts';
import type { Hold, Lot } from '#domain/meter/meter.ts';
import { counted } from '#domain/meter/periods.ts';
import { meterWith } from '#test/meter/meters.ts';

const lot = { source: 'purchase', granted: 10, remaining: 10 } as const;
const lots: readonly Lot[] = [
  { ...lot, id: 1, expiresAt: 100 },
  { ...lot, id: 2, expiresAt: 200 },
  { ...lot, id: 3, expiresAt: 300 },
];
const granted = (id: number, expiresAt: number): GrantedLot => ({ id, source: 'purchase', expiresAt });
const holdOf = (amount: number): Hold => ({ amount, deadline: 0, service: 'chat', model: '', keyId: '' });

/** A meter with three lots of 10, of which calls have spent and hold some. */
function meterOf(spent: number, ...held: number[]) {
  const holds = new Map(held.map((amount, index) => [`call-${index}`, holdOf(amount)]));
  return meterWith(30 - spent - held.reduce((sum, amount) => sum + amount, 0), { lots, holds });
}

describe('the free credits of a lot', () => {
  it.each([
    ['all of an untouched one', meterOf(0), [10, 10, 10]],
    ['what calls have not spent, oldest lot first', meterOf(14), [0, 6, 10]],
    ['what no open call holds, oldest lot first', meterOf(0, 4, 9), [0, 7, 10]],
    ['what is neither spent nor held', meterOf(12, 3, 9), [0, 0, 6]],
  ])('are %s', (_, meter, expected) => {
    expect([1, 2, 3].map((id) => freeIn(meter, granted(id, 100 * id)))).toEqual(expected);
  });

  it('are found by the expiry of a lot that was merged into another, and are 0 for an expired one', () => {
    expect(freeIn(meterOf(14), granted(9, 200))).toBe(6);
    expect(freeIn(meterOf(14), granted(9, 999))).toBe(0);
    expect(freeIn(meterOf(14), { ...granted(9, 200), source: 'plan' })).toBe(0);
  });
});

describe('the lots of a source', () => {
  const lotAt = (id: number, expiresAt: number): Lot => ({ ...lot, id, expiresAt });
  const full = [...Array(maxLotsPerSource).keys()].map((index) => lotAt(index + 1, 100 * (index + 1)));

  it('are limited: the two with the closest expiries become one with the later expiry', () => {
    const plan = { ...lotAt(99, 101), source: 'plan' } as const;
    const meter = meterWith(10 * (full.length + 1), { lots: [full[0]!, plan, ...full.slice(1)], lotsGranted: 99 });
    const { meter: after, entries } = addLot(meter, { source: 'purchase', granted: 5, expiresAt: 330 }, 1);
    const bought = after.lots.filter(({ source }) => source === 'purchase');
    expect(bought).toHaveLength(maxLotsPerSource);
    expect(bought.filter(({ expiresAt }) => expiresAt >= 300 && expiresAt < 400)).toEqual([
      { id: 100, source: 'purchase', granted: 15, remaining: 15, expiresAt: 330 },
    ]);
    expect(after.lots).toContainEqual(plan);
    expect([after.spendable, entries]).toEqual([
      meter.spendable + 5,
      [{ type: 'grant', at: 1, amount: 5, source: 'purchase' }],
    ]);
  });

  it('with the same expiry are one, and stay separate below the limit', () => {
    const add = (expiresAt: number, lots: Lot[]) =>
      addLot(meterWith(10 * lots.length, { lots, lotsGranted: 99 }), { source: 'purchase', granted: 5, expiresAt }, 1);
    expect(add(100, full).meter.lots[0]).toMatchObject({ id: 1, granted: 15, remaining: 15 });
    expect(add(101, full.slice(1)).meter.lots.map(({ id }) => id)).toEqual([100, ...full.slice(1).map(({ id }) => id)]);
  });
});

describe('an expired lot', () => {
  it('keeps what open calls hold of it, and is due again when the first of them has certainly ended', () => {
    const holds = new Map([['call', { ...holdOf(4), deadline: 150 }]]);
    const meter = meterWith(26, { lots, holds, period: { anchor: 0, index: 0 } });
    const { meter: kept, entries } = expireLots(meter, 100);
    expect(kept.lots.map(({ id, remaining }) => [id, remaining])).toEqual([
      [1, 4],
      [2, 10],
      [3, 10],
    ]);
    expect([kept.spendable, entries]).toEqual([20, [{ type: 'expiry', at: 100, amount: -6 }]]);
    expect(counted(meter, { meter: kept, entries }, 100).meter.due).toBe(150);
  });
});

describe('a change of a lot', () => {
  it('applies the spending of calls, then changes the credits of the lot and the balance', () => {
    const meter = meterOf(14);
    const { lots: after, spendable } = changeLot(meter, granted(2, 200), -5)!;
    expect([after.map(({ granted: whole, remaining }) => [whole, remaining]), spendable]).toEqual([
      [
        [10, 0],
        [5, 1],
        [10, 10],
      ],
      11,
    ]);
  });

  it('has no effect once the lot has expired', () => {
    expect(changeLot(meterOf(0), granted(9, 999), -5)).toBeUndefined();
  });
});
