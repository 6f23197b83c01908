import type { Attempt } from './admission.ts';
import { hashOf, isWithinPlan, mayLease } from './lanes.ts';
import { isLimited } from './limits.ts';
import type { MeterStore, Allowance, Meter } from './meter.ts';
import type { OpenHold } from './metering.ts';

/** Lanes that are tried before the account's own item. */
const maxLaneTries = 3;

/** Lanes of an account. */
export type Lanes = readonly [number, ...number[]];

interface Parts {
  readonly store: MeterStore;
  readonly lanesOf: (attempt: Attempt) => Lanes | undefined;
  readonly learn: (attempt: Attempt, meter: Meter | undefined) => void;
  readonly openHold: (readAllowance: () => Allowance, attempt: Attempt) => OpenHold;
}

/** Admits calls in lanes. Separate from other calls, which load nothing of it. */
export function laneAdmissions({ store, lanesOf, learn, openHold }: Parts) {
  /**
   * Writes to a lane and reads the account at the same time. Returns undefined if the account's own item must decide.
   * A hold in a lane is removed without a trace if the account, as it is during the call, does not admit it.
   */
  return async function admitInLane(attempt: Attempt): Promise<OpenHold | undefined> {
    let meter: Meter | undefined;
    for (let tries = 0; tries < maxLaneTries; tries++) {
      const lanes = lanesOf(attempt);
      if (!lanes) return undefined;
      const lane = laneFor(attempt.requestId, lanes, tries);
      const [written, read] = await Promise.allSettled([
        store.admitInLane(lane, attempt),
        meter ?? store.find(attempt.accountId),
      ]);
      if (written.status === 'rejected') throw written.reason;
      meter = read.status === 'fulfilled' ? read.value : undefined;
      const isAdmitted = meter !== undefined && admitsInLanes(meter, attempt);
      learn(attempt, isAdmitted ? meter : undefined);
      if (written.value && meter && isAdmitted)
        return openHold(allowanceIn(lane, meter, attempt), { ...attempt, accountId: lane });
      if (written.value) await store.releaseInLane(lane, attempt);
      if (read.status === 'rejected') throw read.reason;
      if (!isAdmitted) return undefined;
    }
    return undefined;
  };
}

/**
 * Whether the account admits the call. The meter is read at the same time as the lane is written, so a lane contains no
 * copy of a key, plan or status, and lanes refuse the same calls as the account's item.
 */
function admitsInLanes(meter: Meter, { keyId, minPlanRank, now }: Attempt): boolean {
  const key = keyId === undefined ? undefined : meter.keys.get(keyId);
  const isKnown = keyId === undefined || (key !== undefined && key.expiresAt * 1000 > now && !isLimited(key));
  return isKnown && isWithinPlan(meter) && mayLease(meter) && meter.due * 1000 > now && meter.planRank >= minPlanRank;
}

/** Request ids are random, so the calls spread evenly. */
function laneFor(requestId: string, lanes: Lanes, tries: number): number {
  return lanes[(hashOf(requestId) + tries * 7919) % lanes.length] ?? lanes[0];
}

/** What a call in a lane needs until it is settled there. The account's months end when its charge is posted. */
function allowanceIn(lane: number, meter: Meter, { amount }: Attempt): () => Allowance {
  const { spendable, admitted, ceiling, contentDays } = meter;
  const left = Math.max(0, spendable - amount);
  const none = { buckets: new Map(), budgets: new Map(), due: Infinity };
  return () => ({ accountId: lane, admitted, ceiling, spendable: left, ...(contentDays && { contentDays }), ...none });
}
