import { RecentMap } from '../shared/recent-map.ts';
import { accountBusy, type RateLimit, unknownAccount } from '../shared/service-error.ts';
import { type Attempt, budgetOf, hasExpiredHold, knownLimits, verdictOn } from './admission.ts';
import type { laneAdmissions, Lanes } from './lane-admission.ts';
import type { LaneKeeper } from './lane-keeper.ts';
import type { Lane } from './lanes.ts';
import { contentIdOf } from './limits.ts';
import {
  type ChargeSettlement,
  type MeterStore,
  type OpenCall,
  type Progress,
  raceBound,
  raceEnd,
  type Settlement,
  type Allowance,
  type Hold,
  type Meter,
  type Settled,
  type TokenCounts,
} from './meter.ts';
import { nextTransition } from './periods.ts';
import { type PriceCode, unitPriceOfCode, type Receipt } from './pricing.ts';
import { bucketsLeftBehind, rateStatus } from './rate-window.ts';
import { type RefundableCharge, refundableCharge } from './refund.ts';
import { sweeper } from './sweep.ts';

export interface OpenHold {
  readonly held: number;
  /** Days for which the prompt and the response of this call are stored. Undefined if they are not. */
  readonly contentDays: number | undefined;
  /** Parses the admitted item in the background. Errors are rethrown on first use. */
  readonly prepare: () => void;
  holding(): Receipt;
  receipt(cost: number): Receipt;
  readonly isOpen: boolean;
  /**
   * Records a stream's cost so far; the sweep charges it if the settlement is lost. Returns false if the stream must
   * stop.
   */
  recordProgress(cost: number): Promise<boolean>;
  /** Only the first call has an effect. Caps the cost at the hold. Retries conflicts for up to `patienceMs`. */
  settle(cost: number, now: number, patienceMs?: number, tokens?: TokenCounts): Promise<void>;
  /**
   * Settles in the transaction of `write`, which stores the charge with the item it paid for. Repeats `write` on `meter
   * changed`. Returns `hold closed` if the hold is no longer open.
   */
  settleWith<Written extends string>(
    cost: number,
    now: number,
    write: (settlement: ChargeSettlement, kept: RefundableCharge) => Promise<Written | MeterChanged>,
  ): Promise<Written | 'hold closed'>;
}

export type MeterChanged = 'meter changed';

export type Metering = ReturnType<typeof metering>;

/**
 * Maximum attempts of calls and reads: enough for an expired hold, years of missed months, and conflicts. The call then
 * fails with a retryable error.
 */
const maxTries = 8;

/** Maximum number of keys for which a process remembers the lanes of the account. */
const maxKnownLanes = 1000;

/** Ends the months of a meter up to `now` (epoch seconds) and grants new ones. */
export type Renew = (meter: Meter, now: number) => Settled;

/** `sellsCredits`: a refused call can be made once credits are bought. `hasLanes`: the sweep opens lanes. */
export function metering(store: MeterStore, renew: Renew, sellsCredits = false, hasLanes = false) {
  const known = knownLimits();
  const knownLanes = new RecentMap<string, Lanes>(maxKnownLanes);

  async function admit(call: Omit<Attempt, 'keyLimits'>): Promise<OpenHold> {
    let { minPlanRank } = call;
    const mayTry = call.isInLane && knownLanes.get(callerOf(call)) !== undefined && !known.of(call.keyId);
    const inLane = mayTry && (await (await admittingInLanes())(call));
    if (inLane) return inLane;
    for (let tries = 0; tries < maxTries; tries++) {
      const attempt: Attempt = { ...call, minPlanRank, keyLimits: known.of(call.keyId) };
      const admission = await store.admit(attempt);
      if (admission.isDone) {
        known.admitted(attempt);
        return openHold(() => learn(attempt, admission.meter()), attempt);
      }
      const verdict = verdictOn(admission.meter(), attempt, sellsCredits);
      if (verdict.is === 'admitted') return openHold(() => verdict.meter, attempt);
      if (verdict.is === 'refused') throw verdict.why;
      if (verdict.is === 'limits changed') known.learn(attempt, verdict.limits);
      else if (verdict.is === 'feature kept') minPlanRank = verdict.planRank;
      else await settleDue(verdict.meter, attempt.now);
    }
    throw accountBusy();
  }

  /**
   * Remembers the account's lanes for the caller's next call. Requires that this call was admitted, because a call with
   * an invalid key must not write to lanes.
   */
  function learn<Known extends Allowance | undefined>(attempt: Attempt, meter: Known): Known {
    const [first, ...others] = meter?.lanes?.keys() ?? [];
    knownLanes.set(callerOf(attempt), first === undefined ? undefined : [first, ...others]);
    return meter;
  }

  /** Returns the meter at `now` (epoch ms) after settling everything due. */
  async function current(accountId: number, now: number, mayTry = raceBound(maxTries)): Promise<Meter> {
    while (mayTry()) {
      const meter = await store.find(accountId);
      if (!meter) throw unknownAccount();
      if (meter.due * 1000 > now && !hasExpiredHold(meter, now)) return meter;
      await settleDue(meter, now);
    }
    throw accountBusy();
  }

  /**
   * Repeats a change after conflicts with the account's calls. `replace` can write further items in the same
   * transaction.
   */
  async function change(
    accountId: number,
    now: number,
    apply: (meter: Meter) => Settled | Promise<Settled>,
    replace: MeterStore['replace'] = (before, after, entries) => store.replace(before, after, entries),
  ): Promise<Meter> {
    const end = raceEnd();
    const mayTry = raceBound(undefined, end);
    while (mayTry()) {
      const before = await current(accountId, now, raceBound(undefined, end));
      const { meter, entries } = await apply(before);
      if (await replace(before, meter, entries)) return meter;
    }
    throw accountBusy();
  }

  /** Settles expired holds, or else updates the months. A conflict is fine, because the other write did the same. */
  async function settleDue(meter: Meter, now: number): Promise<void> {
    if ((await settleExpired(meter, now)) > 0 || meter.due * 1000 > now) return;
    const settled = renew(meter, Math.floor(now / 1000));
    await store.replace(meter, settled.meter, settled.entries);
  }

  /** Settles the expired holds of a meter or lane. Returns their number. */
  async function settleExpired(holder: Holder, now: number): Promise<number> {
    const expired = [...holder.holds].filter(([, hold]) => hold.deadline * 1000 <= now);
    for (const [requestId, hold] of expired) {
      const { cost, price = hold.price } = await progressOf(holder.accountId, requestId, hold);
      const settlement = settlementOf(holder, requestId, { ...hold, price }, now);
      await store.settle({ ...settlement, cost: Math.min(cost, hold.amount), expiryPassed: false });
    }
    return expired.length;
  }

  async function progressOf(accountId: number, requestId: string, hold: Hold): Promise<Progress> {
    const { delivered, deadline } = hold;
    if (delivered === undefined) return { cost: 0 };
    const recorded = await store.endProgress({ accountId, requestId, deadline });
    return { ...recorded, cost: Math.max(delivered, recorded.cost) };
  }

  function openHold(readAllowance: () => Allowance, attempt: Attempt): OpenHold {
    const budget = budgetOf(attempt);
    const hold: Hold = {
      ...attempt,
      keyId: attempt.keyId ?? '',
      ...(budget && { budget: { id: budget.id, start: budget.start } }),
    };
    let read: { allowance: Allowance; rateLimit: RateLimit | undefined } | undefined;
    let open = true;
    const cut = (cost: number) => Math.min(cost, attempt.amount);

    function allowed() {
      if (read) return read;
      const allowance = readAllowance();
      return (read = { allowance, rateLimit: rateStatus(allowance, attempt.now) });
    }

    async function settlementAt(cost: number, now: number): Promise<Settlement> {
      const { allowance } = allowed();
      const expiryPassed = now >= allowance.due * 1000;
      if (expiryPassed) await endMonths(allowance.accountId, now);
      return { ...settlementOf(allowance, attempt.requestId, hold, now), cost, expiryPassed };
    }

    return {
      held: attempt.amount,
      get contentDays() {
        return allowed().allowance.contentDays?.get(contentIdOf(hold.keyId));
      },
      prepare: () => void allowed(),
      holding: () => ({ rateLimit: allowed().rateLimit, held: attempt.amount }),
      receipt(cost) {
        const { allowance, rateLimit } = allowed();
        const back = attempt.amount - cost;
        const used = budget && allowance.budgets.get(budget.id)?.used;
        const limit = attempt.keyLimits?.limit?.amount;
        const isLimited = used !== undefined && limit !== undefined;
        return {
          rateLimit,
          charged: cost,
          remaining: allowance.spendable + back,
          ...(isLimited && { keyRemaining: Math.max(0, limit - used + back) }),
        };
      },
      get isOpen() {
        return open;
      },
      recordProgress: (cost) => store.recordProgress(attempt, { cost: cut(cost), price: ratesOf(attempt.price) }),
      async settle(cost, now, patienceMs, tokens) {
        if (!open) return;
        open = false;
        await store.settle({ ...(await settlementAt(cut(cost), now)), tokens }, patienceMs);
      },
      async settleWith(cost, now, write) {
        const settlement = await settlementAt(cut(cost), now);
        const mayTry = raceBound();
        while (mayTry()) {
          const meter = await store.find(settlement.accountId);
          if (!meter?.holds.has(settlement.requestId)) return 'hold closed';
          const kept = refundableCharge(meter, settlement);
          if (!kept) throw accountBusy();
          const written = await write({ ...settlement, seq: meter.seq }, kept);
          if (written === 'meter changed') continue;
          open = written !== 'done';
          return written;
        }
        throw accountBusy();
      },
    };
  }

  /** The lanes of an account, with the calls that run in them. */
  async function lanesOf({ lanes }: Pick<Meter, 'lanes'>): Promise<readonly Lane[]> {
    return lanes && lanes.size > 0 ? store.findLanes([...lanes.keys()]) : [];
  }

  /** The hold of a running call, and the number of the account's item or lane that contains it. */
  async function running({ accountId, requestId }: OpenCall) {
    const meter = await store.find(accountId);
    const own = meter?.holds.get(requestId);
    if (own) return { holder: accountId, hold: own };
    const lane = meter && (await lanesOf(meter)).find(({ holds }) => holds.has(requestId));
    const hold = lane?.holds.get(requestId);
    return lane && hold && { holder: lane.id, hold };
  }

  /** Returns false if the call is no running stream. */
  async function cancelStream(call: OpenCall): Promise<boolean> {
    const found = await running(call);
    if (found?.hold.delivered === undefined) return false;
    await store.endProgress({ ...call, accountId: found.holder, deadline: found.hold.deadline });
    return true;
  }

  /**
   * Ends past months first, so that a settlement counts in the month in which it happens. After too many conflicts it
   * counts in the past month, because a call that is not settled would be free.
   */
  async function endMonths(accountId: number, now: number): Promise<void> {
    const seconds = Math.floor(now / 1000);
    const mayTry = raceBound();
    while (mayTry()) {
      const meter = await store.find(accountId);
      if (!meter || nextTransition(meter) > seconds) return;
      const settled = renew(meter, seconds);
      await store.replace(meter, settled.meter, settled.entries);
    }
  }

  let [loadedKeeper, loadedAdmission]: [Promise<LaneKeeper>?, Promise<ReturnType<typeof laneAdmissions>>?] = [];

  const admittingInLanes = () =>
    (loadedAdmission ??= import('./lane-admission.ts').then(({ laneAdmissions }) =>
      laneAdmissions({ store, lanesOf: (attempt) => knownLanes.get(callerOf(attempt)), learn, openHold }),
    ));

  /** Loaded on first use, because no call needs it. */
  const keeper = (): Promise<LaneKeeper> =>
    (loadedKeeper ??= import('./lane-keeper.ts').then(({ laneKeeper }) =>
      laneKeeper(store, { current, endMonths, settleExpired, hasLanes }),
    ));

  const lanes = {
    open: async (meter: Meter, now: number) => (await keeper()).open(meter, now),
    visit: async (lane: number, now: number) => (await keeper()).visit(lane, now),
    postLost: async (lane: number, now: number) => (await keeper()).postLost(lane, now),
  };

  return {
    admit,
    current,
    change,
    ...sweeper(store, current, lanes),
    postCharges: async (...given: Parameters<LaneKeeper['post']>) => (await keeper()).post(...given),
    lanesOf,
    findHold: async (call: OpenCall): Promise<Hold | undefined> => (await running(call))?.hold,
    cancelStream,
    find: (accountId: number) => store.find(accountId),
  };
}

const callerOf = ({ accountId, keyId = '' }: Pick<Attempt, 'accountId' | 'keyId'>): string => `${accountId} ${keyId}`;

/** Recorded for a model's own price only: the charge of a service has its price anyway. */
const ratesOf = (price: PriceCode | undefined): PriceCode | undefined => (unitPriceOfCode(price) ? undefined : price);

type Holder = Pick<Meter, 'accountId' | 'holds'> & Partial<Pick<Meter, 'buckets'>>;

function settlementOf(
  { accountId, buckets = new Map() }: Pick<Meter, 'accountId'> & Partial<Pick<Meter, 'buckets'>>,
  requestId: string,
  hold: Hold,
  now: number,
) {
  return { accountId, requestId, hold, now, staleBuckets: bucketsLeftBehind(buckets, now) };
}
