import { accountBusy } from '../shared/service-error.ts';
import { isWithinPlan, type Lane, laneCalls, maxLanes, mayLease } from './lanes.ts';
import { isLimited } from './limits.ts';
import { currentLots } from './lots.ts';
import {
  type LaneImage,
  type MeterStore,
  balance,
  heldCredits,
  type Lease,
  type LedgerEntry,
  type Lot,
  type Meter,
} from './meter.ts';
import { periodStart } from './periods.ts';

/** Running calls in the account's own item from which lanes are opened. Below, its writes take at most two units. */
const hotCalls = 24;

/** Share of the credits that the lanes may lease beyond the calls that run in them. */
const shareOfCredits = 0.02;

/** Seconds for which a lane admits calls without a visit of the sweep, and between two visits. */
const leaseSeconds = 180;
const visitSeconds = 30;

/** Lanes opened at once: a transaction has at most 100 items. */
const maxOpened = 90;

/** Entries of one posting. They stay in the account's item, which every call reads, until the next one. */
const maxPosted = 16;

/** Attempts against concurrent writes. After them the next visit, or the next delivery of the stream, continues. */
const maxTries = 20;

/** Free credits of a lane after a visit, in microcredits. */
const leaseOf = (meter: Meter): number => Math.floor((balance(meter) * shareOfCredits) / Math.max(1, maxLanes(meter)));

/** Whether a lot expired while its credits were held or leased. All other lots expire at `due` or later. */
const isExpired = (meter: Meter, lot: Lot): boolean => lot.expiresAt < meter.due;

/** End of a lease in epoch seconds, at most the next expiry of a lot. */
const untilOf = (meter: Meter, seconds: number): number => {
  const lots = currentLots(meter).filter((lot) => !isExpired(meter, lot));
  return Math.min(seconds + leaseSeconds, ...lots.map(({ expiresAt }) => expiresAt));
};

/** Whether returned credits expire with an expired lot, so that the meter must become due. */
const hasExpiredLot = (meter: Meter): boolean => currentLots(meter).some((lot) => isExpired(meter, lot));

/** Returns the holds that lanes could contain: those of keys without limits. */
function holdsForLanes({ holds, keys }: Meter): Meter['holds'] {
  return new Map([...holds].filter(([, { keyId }]) => !isLimited(keys.get(keyId) ?? {})));
}

type SettleExpired = (holder: Pick<Meter, 'accountId' | 'holds'>, now: number) => Promise<number>;

interface Keeping {
  readonly current: (accountId: number, now: number) => Promise<Meter>;
  readonly endMonths: (accountId: number, now: number) => Promise<void>;
  readonly settleExpired: SettleExpired;
  /** Otherwise lanes are closed, not opened. */
  readonly hasLanes: boolean;
}

export type LaneKeeper = ReturnType<typeof laneKeeper>;

export function laneKeeper(store: MeterStore, { current, endMonths, settleExpired, hasLanes }: Keeping) {
  /** Opens lanes for an account whose own item has become hot: for four times the calls that run in it. */
  async function open(meter: Meter, now: number): Promise<void> {
    const seconds = Math.floor(now / 1000);
    const holds = holdsForLanes(meter);
    const amount = leaseOf(meter);
    const isWorthIt = amount * holds.size >= laneCalls * heldCredits({ holds });
    if (!hasLanes || holds.size < hotCalls || !mayLease(meter) || !isWorthIt) return;
    const left = maxLanes(meter) - (meter.lanes?.size ?? 0);
    const count = Math.min(Math.ceil((4 * holds.size) / laneCalls), left, maxOpened);
    if (count > 0)
      await store.openLanes(meter, { count, amount, until: untilOf(meter, seconds), at: seconds + visitSeconds });
  }

  /**
   * Renews the lease of a lane with calls. Returns that of another one, and closes it once all its charges are posted.
   */
  async function visit(id: number, now: number): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      const [lane] = await store.findLanes([id]);
      if (!lane) return;
      if ((await settleExpired({ accountId: id, holds: lane.holds }, now)) > 0) continue;
      const meter = await current(lane.accountId, now);
      const lease = meter.lanes?.get(id);
      if (!lease || (await renew(meter, lane, lease, Math.floor(now / 1000)))) return;
    }
  }

  async function renew(meter: Meter, lane: Lane, lease: Lease, seconds: number): Promise<boolean> {
    const at = seconds + visitSeconds;
    const isDue = hasExpiredLot(meter);
    const isKept = hasLanes && lane.holds.size > 0 && lane.until > 0 && mayLease(meter) && isWithinPlan(meter);
    if (isKept) {
      const amount = Math.min(leaseOf(meter) - lane.spendable, meter.spendable);
      return store.moveLease(meter, lane, { amount, until: untilOf(meter, seconds), at, isDue });
    }
    if (lane.holds.size === 0 && lease.posted === lane.seq) return store.closeLane(meter, lane, { at: seconds, isDue });
    if (lane.until === 0 && lane.spendable === 0)
      return store.watchHolds({ accountId: lane.id, admitted: lane.admitted }, at);
    return store.moveLease(meter, lane, { amount: -lane.spendable, until: 0, at, isDue });
  }

  /** Posts charges of an account's lanes to its meter, each once and in the order of its lane. */
  async function post(images: readonly LaneImage[], now: number): Promise<void> {
    const [{ accountId } = { accountId: 0 }] = images;
    const latest = Math.max(...images.map(({ entry }) => entry.at * 1000));
    if (latest > now) await endMonths(accountId, latest);
    for (let tries = 0; tries < maxTries; tries++) {
      const meter = await current(accountId, now);
      const left = unposted(meter, images);
      if (left.length === 0) return;
      const next = postable(meter, left);
      if (next.length === 0) throw new Error(`a charge before ${left[0]?.seq} of a lane of ${accountId} is missing`);
      if (await store.postCharges(meter, postingOf(meter, next))) tries = 0;
    }
    throw accountBusy();
  }

  /**
   * Posts the charges whose records are lost as one adjustment, once the lane has neither calls nor free credits. The
   * rest of its lease is these charges.
   */
  async function postLost(id: number, now: number): Promise<boolean> {
    const [lane] = await store.findLanes([id]);
    if (!lane || lane.until > 0 || lane.spendable > 0 || lane.holds.size > 0) return false;
    const meter = await current(lane.accountId, now);
    const { amount, posted } = meter.lanes?.get(id) ?? { amount: 0, posted: lane.seq };
    if (posted === lane.seq) return false;
    const entry: LedgerEntry = { type: 'adjustment', at: Math.floor(now / 1000), amount: 0 - amount };
    const lanes = new Map([[id, { amount, posted: lane.seq }]]);
    return store.postCharges(meter, { entries: [entry], lanes, used: new Map(), calls: 0 });
  }

  return { open, visit, post, postLost };
}

/** The entry of `seq` in the lane. A closed lane has no unposted charge. */
function unposted({ lanes }: Meter, images: readonly LaneImage[]): LaneImage[] {
  const left = new Map<string, LaneImage>();
  for (const image of images) {
    const lease = lanes?.get(image.lane);
    if (lease && image.seq > lease.posted) left.set(`${image.lane} ${image.seq}`, image);
  }
  return [...left.values()].toSorted((one, other) => one.seq - other.seq);
}

function postable({ lanes }: Meter, left: readonly LaneImage[]): LaneImage[] {
  const last = new Map(lanes?.entries().map(([id, { posted }]) => [id, posted]));
  return left
    .filter(({ lane, seq }) => {
      const isNext = last.get(lane) === seq - 1;
      if (isNext) last.set(lane, seq);
      return isNext;
    })
    .slice(0, maxPosted);
}

/** `lanes`: charged microcredits and the last `seq`. `used`, `calls`: what counts in the current month. */
export interface Posting {
  readonly entries: readonly LedgerEntry[];
  readonly lanes: ReadonlyMap<number, { readonly amount: number; readonly posted: number }>;
  readonly used: ReadonlyMap<string, number>;
  readonly calls: number;
}

/** A call belongs to the month in which it ended, so a charge of an earlier month is not counted in this one. */
function postingOf(meter: Meter, images: readonly LaneImage[]): Posting {
  const lanes = new Map<number, { amount: number; posted: number }>();
  const used = new Map<string, number>();
  const from = periodStart(meter.period);
  let calls = 0;
  for (const { lane, seq, entry } of images) {
    const cost = -entry.amount;
    lanes.set(lane, { amount: (lanes.get(lane)?.amount ?? 0) + cost, posted: seq });
    if (entry.at < from || !entry.service || cost === 0) continue;
    used.set(entry.service, (used.get(entry.service) ?? 0) + cost);
    calls += 1;
  }
  return { entries: images.map(({ entry }) => entry), lanes, used, calls };
}
