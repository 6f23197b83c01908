import { describe, expect, it } from 'vitest';
import { budgetAt, nextPeriod, type SpendingLimit } from '#domain/meter/limits.ts';

const seconds = (text: string): number => Date.parse(text) / 1000;
const limit = (period: SpendingLimit['period']): SpendingLimit => ({ budget: 'b', amount: 5, period });
const spent = (start: string) => ({ start: seconds(start), used: 3 });

describe('the budget of a limited key', () => {
  it.each([
    ['day', '2027-02-28T00:00:00Z', '2027-02-28T23:59:59Z', 3],
    ['day', '2027-02-28T00:00:00Z', '2027-03-01T00:00:00Z', 0],
    ['month', '2027-02-01T00:00:00Z', '2027-02-28T23:59:59Z', 3],
    ['month', '2027-02-01T00:00:00Z', '2027-03-01T00:00:00Z', 0],
    ['month', '2027-12-01T00:00:00Z', '2028-01-01T00:00:00Z', 0],
    ['total', '1970-01-01T00:00:00Z', '2099-01-01T00:00:00Z', 3],
  ] as const)('per %s, charged since %s, has at %s %i used', (period, start, now, used) => {
    expect(budgetAt(limit(period), spent(start), seconds(now)).used).toBe(used);
  });

  it('is not reset by a clock that is behind', () => {
    const stored = spent('2027-03-02T00:00:00Z');
    expect(budgetAt(limit('day'), stored, seconds('2027-03-01T23:59:59Z'))).toBe(stored);
  });

  it.each([
    ['day', '2028-02-29T12:00:00Z', '2028-03-01T00:00:00Z'],
    ['month', '2028-02-29T12:00:00Z', '2028-03-01T00:00:00Z'],
    ['month', '2027-12-31T23:59:59Z', '2028-01-01T00:00:00Z'],
  ] as const)('per %s is reset after %s at %s', (period, now, next) => {
    expect(nextPeriod(period, seconds(now))).toBe(seconds(next));
  });

  it('in total is never reset', () => {
    expect(nextPeriod('total', seconds('2027-01-01T00:00:00Z'))).toBeUndefined();
  });
});
