import { heldCredits, type Hold, type Meter } from './meter.ts';
import { unlimited } from './rate-window.ts';

/**
 * Lanes carry the calls of an account with more calls than one item sustains: items with a lease of its credits and of
 * its concurrent calls, each with its own holds (docs/adr/0039-holds-of-one-account.md). `spendable`: leased credits
 * that no call holds. `until`: epoch seconds from which the lane admits no call.
 */
export interface Lane {
  readonly id: number;
  readonly accountId: number;
  readonly seq: number;
  readonly admitted: number;
  readonly spendable: number;
  readonly until: number;
  readonly holds: ReadonlyMap<string, Hold>;
  /** References to what the holds have in common. */
  readonly facts: readonly string[];
}

/** Concurrent calls of a lane: so many that its item stays below 1 KB, one write unit. */
export const laneCalls = 18;

/** Plans with fewer concurrent calls never use lanes. */
const minPlanCalls = 500;

/** Share of the plan's concurrent calls in lanes. The account's own item admits what no lane does. */
const shareOfCalls = 0.9;

/** Spreads texts evenly over places below 1,000,003. */
export const hashOf = (text: string): number =>
  Buffer.from(text).reduce((hash, byte) => (hash * 31 + byte) % 1_000_003, 7);

export const maxLanes = ({ maxConcurrentCalls }: Meter): number =>
  Math.floor((maxConcurrentCalls * shareOfCalls) / laneCalls);

/** Maximum concurrent calls whose holds an account's own item contains. Lanes carry the others. */
const maxOwnCalls = 1000;

export const callsInLanes = ({ lanes }: Pick<Meter, 'lanes'>): number => (lanes?.size ?? 0) * laneCalls;

/** Concurrent calls that the account's own item admits. Negative if a smaller plan allows fewer than the lanes do. */
export const ownCalls = (meter: Pick<Meter, 'maxConcurrentCalls' | 'lanes'>): number =>
  Math.min(maxOwnCalls, meter.maxConcurrentCalls - callsInLanes(meter));

/** Whether the plan allows the open lanes. A smaller plan may allow fewer. */
export const isWithinPlan = (meter: Meter): boolean => (meter.lanes?.size ?? 0) <= maxLanes(meter);

/** Lanes know neither rates nor caps, so that only accounts without them have lanes. */
export function mayLease(meter: Meter): boolean {
  const { closed, cap, ceiling, admitted, callsPerMonth, maxConcurrentCalls } = meter;
  const isUnlimited = ceiling - admitted >= unlimited && callsPerMonth >= unlimited;
  return closed === undefined && cap === undefined && isUnlimited && maxConcurrentCalls >= minPlanCalls;
}

/** The meter with the calls of its lanes among its own. Held credits and the balance stay the same. */
export function withCallsOf(lanes: readonly Lane[], meter: Meter): Meter {
  if (!meter.lanes) return meter;
  const leases = new Map(meter.lanes);
  for (const { id, holds } of lanes) {
    const { amount = 0, posted = 0 } = leases.get(id) ?? {};
    leases.set(id, { amount: amount - heldCredits({ holds }), posted });
  }
  return { ...meter, holds: new Map([meter, ...lanes].flatMap(({ holds }) => [...holds])), lanes: leases };
}
