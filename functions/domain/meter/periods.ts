import { addMonths, daySeconds } from '#contract/shared/time.ts';
import { currentLots } from './lots.ts';
import type { Meter, Period, Settled, Subscription } from './meter.ts';
import { capEnd } from './spending-cap.ts';

export const periodStart = ({ anchor, index }: Period): number => addMonths(anchor, index);
export const periodEnd = ({ anchor, index }: Period): number => addMonths(anchor, index + 1);

/** Seconds for which a plan keeps its limits while its month is not paid (docs/payments.md#past-due). */
export const pastDueSeconds = 7 * daySeconds;

/** Returns the next time at which a month, a cancelled or unpaid subscription or its limits end. */
export function nextTransition(meter: Meter): number {
  return Math.min(periodEnd(meter.period), subscriptionTransition(meter), capTransition(meter));
}

export const capTransition = ({ cap }: Meter): number => (cap ? capEnd(cap) : Number.POSITIVE_INFINITY);

/** Whether the current month was paid, and its payment then refunded or disputed. */
export const isReturned = ({ unpaidSince, paidUntil = 0 }: Subscription): boolean =>
  unpaidSince !== undefined && paidUntil > unpaidSince;

export function subscriptionTransition({ subscription }: Meter): number {
  const { unpaidSince, creditsExpireAt = Number.POSITIVE_INFINITY } = subscription ?? {};
  return unpaidSince === undefined ? creditsExpireAt : Math.min(creditsExpireAt, unpaidSince + pastDueSeconds);
}

/**
 * Adds the entries to `seq` and sets the next due time. If an open hold keeps an expired lot, that is at most the
 * hold's deadline, because the closing call's clock may be slow.
 */
export function counted(before: Meter, { meter, entries }: Settled, now: number): Settled {
  const lots = currentLots(meter);
  const moments = lots.map((lot) => lot.expiresAt).filter((moment) => moment > now);
  const deadlines = moments.length < lots.length ? meter.holds.values().map((hold) => hold.deadline) : [];
  const due = Math.min(nextTransition(meter), ...moments, ...deadlines);
  return { meter: { ...meter, seq: before.seq + entries.length, due }, entries };
}

export function chain(before: Settled, step: (meter: Meter) => Settled): Settled {
  const after = step(before.meter);
  return { meter: after.meter, entries: [...before.entries, ...after.entries] };
}
