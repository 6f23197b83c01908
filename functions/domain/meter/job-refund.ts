import type { ServiceName } from '#contract/billing/prices.ts';
import { chain, counted, type Settled } from './billing.ts';
import { addLot, expireLots, settledLots } from './lots.ts';
import { heldCredits, type LedgerEntry, type Lot, type Meter, type Period } from './meter.ts';

/** Credits of a call that was charged before it was done. Microcredits. */
export interface Refund {
  readonly amount: number;
  readonly service: ServiceName;
  /** Where they go: the lot that they were taken from, or one like it. Where that has expired, they expire. */
  readonly lot: Pick<Lot, 'source' | 'expiresAt'>;
  /** Billing month of the charge. */
  readonly period: Period;
  readonly entry: Omit<LedgerEntry, 'type' | 'at' | 'amount' | 'service'>;
}

/** The last lot that what is held may be taken from: what comes back into it lives no shorter than it did. Undefined without any lot. */
export function lotOfHolds(meter: Meter): Refund['lot'] | undefined {
  let left = heldCredits(meter);
  let last: Refund['lot'] | undefined;
  for (const { source, expiresAt, remaining } of settledLots(meter)) {
    last = { source, expiresAt };
    left -= remaining;
    if (left <= 0) break;
  }
  return last;
}

/** Gives credits back; `now` in epoch seconds. An entry of nothing is written too: something has ended. */
export function giveBack(before: Meter, { amount, service, lot, period, entry }: Refund, now: number): Settled {
  const meter = amount > 0 ? addLot(before, { ...lot, granted: amount }, now).meter : before;
  const isSameMonth = period.anchor === meter.period.anchor && period.index === meter.period.index;
  const used = Math.max(0, (meter.used[service] ?? 0) - amount);
  const refunded: Settled = {
    meter: isSameMonth ? { ...meter, used: { ...meter.used, [service]: used } } : meter,
    entries: [{ type: 'refund', at: now, amount, service, ...entry }],
  };
  return counted(
    before,
    chain(refunded, (current) => expireLots(current, now)),
    now,
  );
}
