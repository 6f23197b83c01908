import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plansOf } from '#contract/billing/plans.ts';
import { bringCurrent, grantCredits, openMeter } from '#domain/meter/billing.ts';
import { giveBack, lotOfHolds, type Refund } from '#domain/meter/job-refund.ts';
import { balance, type Meter } from '#domain/meter/meter.ts';

const plans = plansOf('listing');
const day = 86_400;
const start = 1_800_000_000;

const opened = (): Meter => openMeter(1, start, plans).meter;

/** As an admission and a settlement leave it. */
function charged(meter: Meter, amount: number): { meter: Meter; lot: Refund['lot'] | undefined } {
  const hold = { amount, deadline: start, service: 'transcription', model: 'svc-transcribe', keyId: '' } as const;
  const held = { ...meter, spendable: meter.spendable - amount, holds: new Map([['one', hold]]) };
  const used = { ...meter.used, transcription: (meter.used.transcription ?? 0) + amount };
  return { meter: { ...held, holds: new Map(), used }, lot: lotOfHolds(held) };
}

const refundOf = (meter: Meter, amount: number, lot: Refund['lot'] | undefined): Refund => {
  if (!lot) throw new Error('there is no lot');
  return { amount, service: 'transcription', lot, period: meter.period, entry: { requestId: 'one' } };
};

describe('credits that come back', () => {
  it('are what was charged, in the balance, the month and an entry, whatever was granted meanwhile', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.nat(1000),
        fc.array(fc.nat(500), { maxLength: 4 }),
        (amount, part, grants) => {
          const before = opened();
          const after = charged(before, amount);
          const later = grants.reduce(
            (meter, credits) => grantCredits(meter, credits + 1, start + day).meter,
            after.meter,
          );
          const back = Math.min(amount, part);
          const { meter, entries } = giveBack(later, refundOf(before, back, after.lot), start + 2 * day);
          expect(balance(meter) - balance(later)).toBe(back);
          expect(meter.used.transcription).toBe(amount - back);
          expect(entries).toMatchObject([{ type: 'refund', amount: back, requestId: 'one' }]);
          expect(meter.seq).toBe(later.seq + 1);
          expect(meter.lots.reduce((sum, lot) => sum + lot.remaining, 0)).toBeGreaterThanOrEqual(balance(meter));
        },
      ),
    );
  });

  it('live as long as they did, and no longer', () => {
    const before = opened();
    const [lot] = before.lots;
    const { meter, lot: taken } = charged(before, 10);
    expect(taken).toEqual({ source: lot?.source, expiresAt: lot?.expiresAt });
    const granted = grantCredits(meter, 100, start + day).meter;
    const back = giveBack(granted, refundOf(before, 10, taken), start + 2 * day).meter;
    expect(back.lots.find(({ expiresAt }) => expiresAt === lot?.expiresAt)?.remaining).toBe(lot?.remaining);
    const expired = bringCurrent(back, (lot?.expiresAt ?? 0) + 1, plans);
    expect(expired.entries.filter(({ type }) => type === 'expiry')).toMatchObject([{ amount: -(lot?.remaining ?? 0) }]);
  });

  it('expire where what they were taken from has', () => {
    const before = opened();
    const { meter, lot } = charged(before, 10);
    const later = bringCurrent(meter, start + 40 * day, plans).meter;
    const back = giveBack(later, refundOf(before, 10, lot), start + 40 * day);
    expect(balance(back.meter)).toBe(balance(later));
    expect(back.entries.map(({ type, amount }) => [type, amount])).toEqual([
      ['refund', 10],
      ['expiry', -10],
    ]);
  });

  it('may be none: the entry says that it has ended', () => {
    const before = opened();
    const { meter, lot } = charged(before, 10);
    const back = giveBack(meter, refundOf(before, 0, lot), start);
    expect([balance(back.meter), back.entries.length]).toEqual([balance(meter), 1]);
  });
});
