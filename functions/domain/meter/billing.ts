import { freePlanRank, monthlyGrant, planOfRank } from '#contract/plans.ts';
import { microPerCredit } from '#contract/prices.ts';
import { addMonths } from '../months.ts';
import { addLot, expireLots } from './lots.ts';
import type { LedgerEntry, Meter, Period, Subscription } from './meter.ts';
import { unlimited } from './rate-window.ts';

/** A meter and what happened to it on the way, oldest first. */
export interface Settled {
  readonly meter: Meter;
  readonly entries: readonly LedgerEntry[];
}

/** Months a grant outlives the month it was given for (spec "Credits" rule 1, design section 3 "Roll-over"). */
const rollOverMonths = 3;

/** Entries one write may carry, so that the item stays small after years of silence; the rest stays due. */
const entriesPerWrite = 48;

export const periodEnd = ({ anchor, index }: Period): number => addMonths(anchor, index + 1);

/** A new account's meter, with its first free month granted. `now` in epoch seconds. */
export function openMeter(accountId: number, now: number): Settled {
  const bare: Meter = {
    accountId,
    seq: 0,
    keys: new Map(),
    planRank: freePlanRank,
    admitted: 0,
    ceiling: callsPerMinute(freePlanRank),
    buckets: new Map(),
    spendable: 0,
    holds: new Map(),
    lots: [],
    used: {},
    period: { anchor: now, index: 0 },
    due: now,
  };
  return counted(bare, grantMonth(bare, now), now);
}

/** Brings a meter to `now` (epoch seconds): expires lots, ends months, grants new ones; as if it had been watched all along. */
export function bringCurrent(meter: Meter, now: number): Settled {
  let settled: Settled = { meter, entries: [] };
  while (settled.entries.length < entriesPerWrite && periodEnd(settled.meter.period) <= now) {
    const end = periodEnd(settled.meter.period);
    settled = chain(settled, (current) => expireLots(current, end));
    settled = chain(settled, (current) => grantMonth(nextPeriod(current), end));
  }
  if (periodEnd(settled.meter.period) > now) settled = chain(settled, (current) => expireLots(current, now));
  return counted(meter, settled, now);
}

/** Starts a subscription: its first month begins now, on the plan's limits, with the plan's credits. */
export function startSubscription(meter: Meter, planRank: number, subscription: Subscription, now: number): Settled {
  const settled = chain(bringCurrent(meter, now), (current) =>
    grantMonth({ ...onPlan(current, planRank), subscription, used: {}, period: { anchor: now, index: 0 } }, now),
  );
  return counted(meter, settled, now);
}

/** Credits given by an operator: they live for three months. */
export function grantCredits(meter: Meter, granted: number, now: number): Settled {
  const lot = { source: 'purchase', granted, expiresAt: addMonths(now, rollOverMonths) } as const;
  return counted(meter, addLot(meter, lot, now), now);
}

/** Moves the rate ceilings so that calls already made go on counting against the new limit. */
function onPlan(meter: Meter, planRank: number): Meter {
  const shift = callsPerMinute(planRank) - (meter.ceiling - meter.admitted);
  const buckets = new Map([...meter.buckets].map(([name, ceiling]) => [name, ceiling + shift]));
  return { ...meter, planRank, buckets, ceiling: meter.ceiling + shift };
}

function grantMonth(meter: Meter, now: number): Settled {
  const { anchor, index } = meter.period;
  const granted = monthlyGrant(planOfRank(meter.planRank)) * microPerCredit;
  return meter.subscription
    ? addLot(meter, { source: 'plan', granted, expiresAt: addMonths(anchor, index + 1 + rollOverMonths) }, now)
    : addLot(meter, { source: 'free', granted, expiresAt: periodEnd(meter.period) }, now);
}

function nextPeriod(meter: Meter): Meter {
  return { ...meter, used: {}, period: { ...meter.period, index: meter.period.index + 1 } };
}

function callsPerMinute(planRank: number): number {
  return planOfRank(planRank).callsPerMinute ?? unlimited;
}

function chain(before: Settled, step: (meter: Meter) => Settled): Settled {
  const after = step(before.meter);
  return { meter: after.meter, entries: [...before.entries, ...after.entries] };
}

/** Counts the entries in `seq` and says when the meter is due next. */
function counted(before: Meter, { meter, entries }: Settled, now: number): Settled {
  const moments = meter.lots.map((lot) => lot.expiresAt).filter((moment) => moment > now);
  const due = Math.min(periodEnd(meter.period), ...moments);
  return { meter: { ...meter, seq: before.seq + entries.length, due }, entries };
}
