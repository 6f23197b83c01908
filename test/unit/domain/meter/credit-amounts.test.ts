import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { prices } from '#contract/billing/prices.ts';
import { bringCurrent, grantCredits, openMeter } from '#domain/billing/grants.ts';
import { startSubscription } from '#domain/billing/subscription-changes.ts';
import { currentLots } from '#domain/meter/lots.ts';
import { balance, type Meter } from '#domain/meter/meter.ts';
import { meterOf, newMeterRow } from '#repositories/meter/meter-item.ts';
import { auditLedger } from '#test/meter/audit-ledger.ts';
import { credits, start } from '#test/meter/meters.ts';

describe('credit amounts', () => {
  const enterprise = { planId: 'enterprise', plan: planOfRank(5) };
  const whole = (meter: Meter): boolean =>
    [meter.spendable, balance(meter), ...meter.lots.flatMap(({ granted, remaining }) => [granted, remaining])].every(
      (amount) => Number.isSafeInteger(amount) && amount >= 0,
    );

  it('are safe integers, even if an unlimited plan is assigned again and again', () => {
    let settled = openMeter(1, start / 1000, planOfRank);
    const rows = [...settled.entries];
    for (let count = 0; count < 24; count++) {
      const now = start / 1000 + count * 5 * 86_400;
      settled =
        count % 3 === 2
          ? bringCurrent(settled.meter, now, planOfRank)
          : startSubscription(settled.meter, enterprise, 'sub', now, planOfRank);
      rows.push(...settled.entries);
      expect(whole(settled.meter)).toBe(true);
      expect(meterOf(newMeterRow(settled.meter, settled.entries)).spendable).toBe(settled.meter.spendable);
    }
    expect(rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(BigInt(balance(settled.meter)));
  });

  it('stay safe integers for any grants, and the lots equal the balance', () => {
    const huge = fc.array(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(huge, fc.array(fc.nat(100 * 86_400)), (grants, waits) => {
        let { meter } = openMeter(1, start / 1000, planOfRank);
        let now = start / 1000;
        for (const [index, granted] of grants.entries()) {
          ({ meter } = grantCredits(meter, granted, now));
          now += waits[index] ?? 0;
          ({ meter } = bringCurrent(meter, now, planOfRank));
          expect(whole(meter)).toBe(true);
          const lots = currentLots(meter).reduce((sum, { remaining }) => sum + BigInt(remaining), 0n);
          expect(lots).toBe(BigInt(balance(meter)));
        }
      }),
    );
  });

  it('are whole microcredits per unit for every price', () => {
    for (const { credits: price, unitSize, unit } of Object.values(prices)) {
      expect(Number.isInteger(credits(price))).toBe(true);
      if (unit === 'token') expect(Number.isInteger(credits(price) / unitSize)).toBe(true);
    }
  });

  it('that do not add up are reported by the audit', () => {
    const row = { accountId: 1, type: 'grant', at: 0 } as const;
    const rows = [
      { ...row, seq: 1, amount: 5, balance: 5 },
      { ...row, seq: 2, amount: -2, balance: 4 },
    ];
    expect(auditLedger(rows, 2, 3)).toEqual(['row 2 has the balance 4, the rows up to it add up to 3']);
    expect(auditLedger(rows.slice(1), 2, 3)).toEqual(['row 1 is missing: the next is 2']);
  });
});
