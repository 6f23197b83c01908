import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { bringCurrent, openMeter } from '#domain/billing/grants.ts';
import { addLot } from '#domain/meter/lots.ts';
import { packExpiry } from '#domain/payments/settlement.ts';

const seconds = (iso: string): number => Date.parse(iso) / 1000;

describe('purchased credits', () => {
  it.each([
    ['2027-01-01T00:00:00Z', '2028-02-01T00:00:00Z'],
    ['2027-01-31T23:59:59Z', '2028-02-01T00:00:00Z'],
    ['2027-12-31T12:00:00Z', '2029-01-01T00:00:00Z'],
    ['2028-02-29T12:00:00Z', '2029-03-01T00:00:00Z'],
  ])('bought at %s expire at %s, the end of that month a year later', (bought, expires) => {
    expect(packExpiry(seconds(bought))).toBe(seconds(expires));
  });

  it('of 60 packs a year form at most 13 lots, each with its expiry, for three years', () => {
    let now = seconds('2027-01-31T10:00:00Z');
    let { meter } = openMeter(1, now, planOfRank);
    const sold = new Map<number, number>();
    for (let count = 0; count < 180; count++) {
      meter = bringCurrent(meter, now, planOfRank).meter;
      for (const at of sold.keys()) if (at <= now) sold.delete(at);
      const expiresAt = packExpiry(now);
      ({ meter } = addLot(meter, { source: 'purchase', granted: 500, expiresAt }, now));
      sold.set(expiresAt, (sold.get(expiresAt) ?? 0) + 500);
      const lots = meter.lots.filter(({ source }) => source === 'purchase');
      expect(lots.length).toBeLessThanOrEqual(13);
      expect(new Map(lots.map((lot) => [lot.expiresAt, lot.granted]))).toEqual(sold);
      now += 6 * 86_400 + 3600;
    }
  });
});
