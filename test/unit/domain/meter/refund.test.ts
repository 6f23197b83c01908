import fc from 'fast-check';
import { expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { bringCurrent } from '#domain/meter/billing.ts';
import { currentLots } from '#domain/meter/lots.ts';
import { balance, type Meter } from '#domain/meter/meter.ts';
import { refund } from '#domain/meter/refund.ts';
import { credits, meterWith, start } from '#test/meter/meters.ts';

const second = start / 1000;
const back = { service: 'sms', amount: credits(2), requestId: 'r', chargedAt: second } as const;
const held = (meter: Meter): number => currentLots(meter).reduce((sum, { remaining }) => sum + remaining, 0);

it('adds exactly the charge to the balance, whatever the lots hold and was spent since they were settled', () => {
  const lot = fc.record({ remaining: fc.nat(20), more: fc.nat(5), days: fc.integer({ min: 1, max: 90 }) });
  fc.assert(
    fc.property(fc.array(lot, { maxLength: 4 }), fc.nat(100), (drawn, spent) => {
      const lots = drawn.map(({ remaining, more, days }) => ({
        source: 'purchase' as const,
        granted: credits(remaining + more),
        remaining: credits(remaining),
        expiresAt: second + days * 86_400,
      }));
      const there = lots.reduce((sum, { remaining }) => sum + remaining, 0);
      const meter = meterWith(0, { lots, spendable: Math.max(0, there - credits(spent)), used: { sms: credits(3) } });
      const { meter: after, entries } = refund(meter, back, second);
      expect(entries).toEqual([{ type: 'refund', at: second, amount: credits(2), service: 'sms', requestId: 'r' }]);
      expect(balance(after)).toBe(balance(meter) + credits(2));
      expect(held(after)).toBe(balance(after));
      expect(after.seq).toBe(meter.seq + 1);
      expect(after.used).toEqual({ sms: credits(1) });
      for (const { remaining, granted } of after.lots) expect(remaining).toBeLessThanOrEqual(granted);
      // What was given back expires with its lot, and nothing else does.
      const over = bringCurrent(after, second + 100 * 86_400, planOfRank);
      const changes = over.entries.reduce((sum, { amount }) => sum + amount, 0);
      expect(balance(over.meter)).toBe(balance(after) + changes);
    }),
  );
});

it('of an earlier month leaves the use of this one as it is', () => {
  const meter = meterWith(credits(10), { used: { sms: credits(4) } });
  expect(refund(meter, { ...back, chargedAt: second - 86_400 }, second).meter.used).toEqual({ sms: credits(4) });
});
