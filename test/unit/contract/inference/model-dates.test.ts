import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { phaseOf, type Phase, priceAt } from '#contract/inference/models.ts';
import type { ModelPrice } from '#contract/offer/offer.ts';
import { atLength } from '#test/many.ts';

const dated = { availableFrom: '2027-01-01', deprecatedFrom: '2027-03-01', retiredFrom: '2027-06-01' };
const undated = { availableFrom: null, deprecatedFrom: null, retiredFrom: null };

describe('the phase of a model', () => {
  it.each<[at: string, phase: Phase]>([
    ['2026-12-31T23:59:59.999Z', 'upcoming'],
    ['2027-01-01T00:00:00.000Z', 'available'],
    ['2027-02-28T23:59:59.999Z', 'available'],
    ['2027-03-01T00:00:00.000Z', 'deprecated'],
    ['2027-05-31T23:59:59.999Z', 'deprecated'],
    ['2027-06-01T00:00:00.000Z', 'retired'],
    ['2030-01-01T00:00:00.000Z', 'retired'],
  ])('at %s is %s', (at, phase) => {
    expect(phaseOf(dated, Date.parse(at))).toBe(phase);
  });

  it.each<[dates: Partial<typeof dated>, phase: Phase]>([
    [{}, 'available'],
    [{ availableFrom: '2027-06-02' }, 'upcoming'],
    [{ deprecatedFrom: '2027-06-01' }, 'deprecated'],
    [{ retiredFrom: '2027-06-01' }, 'retired'],
    [{ retiredFrom: '2027-06-02' }, 'available'],
  ])('with only %o on 1 June 2027 is %s', (given, phase) => {
    expect(phaseOf({ ...undated, ...given }, Date.parse('2027-06-01T12:00:00Z'))).toBe(phase);
  });
});

const priceWith = (input: number): ModelPrice => {
  return { perRequest: 0, input, cachedInput: 0, cacheWrite: 0, output: 0 };
};

describe('the price of a model at a time', () => {
  const first = Date.parse('2027-01-01');
  const dayMs = 86_400_000;
  const dayOf = (day: number): string => new Date(first + day * dayMs).toISOString().slice(0, 10);

  it('is that of the latest change that has begun, from midnight UTC on', () => {
    const days = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 8 });
    const moment = fc.tuple(fc.integer({ min: -2, max: 62 }), fc.constantFrom(0, 1, dayMs - 1));
    fc.assert(
      fc.property(days, moment, fc.boolean(), (given, [day, ms], isPriced) => {
        const sorted = given.toSorted((one, other) => one - other);
        const priceChanges = sorted.map((from) => ({ effectiveFrom: dayOf(from), ...priceWith(from + 1) }));
        const price = isPriced ? priceWith(1000) : null;
        const expected = Math.max(-1, ...given.filter((from) => from <= day));
        const found = priceAt({ price, priceChanges }, first + day * dayMs + ms);
        expect(found?.input).toBe(expected < 0 ? price?.input : expected + 1);
      }),
      { numRuns: atLength(1000, 20_000) },
    );
  });
});
