import { balance, heldCredits, type LedgerEntry, type Lot, type Meter } from '../meter.ts';

/** Lots of one source that an account may have, so that its item stays small. Only operators grant that often. */
export const maxLotsPerSource = 16;

/** A lot as it is stored, what is left of it, and when that expires. */
interface LotState {
  readonly lot: Lot;
  readonly remaining: number;
  readonly expiresAt: number;
}

/**
 * Plan credits expire 30 days after a cancellation at the latest. The lots themselves keep their expiry, which a
 * resumption so gives back.
 */
function expiryOf({ source, expiresAt }: Lot, { subscription }: Meter): number {
  return source === 'plan' ? Math.min(expiresAt, subscription?.creditsExpireAt ?? expiresAt) : expiresAt;
}

/** The lots in the order they are spent, oldest expiry first, what calls have spent since they were settled taken out. */
function lotStates(meter: Meter): LotState[] {
  const ordered = meter.lots
    .map((lot) => ({ lot, expiresAt: expiryOf(lot, meter) }))
    .toSorted((one, other) => one.expiresAt - other.expiresAt || one.lot.expiresAt - other.lot.expiresAt);
  let spent = meter.lots.reduce((sum, lot) => sum + lot.remaining, 0) - balance(meter);
  return ordered.map(({ lot, expiresAt }) => {
    const taken = Math.min(spent, lot.remaining);
    spent -= taken;
    return { lot, expiresAt, remaining: lot.remaining - taken };
  });
}

/** The lots that have credits left, next to be spent first, with the moment those expire. */
export function currentLots(meter: Meter): Lot[] {
  const left = lotStates(meter).filter(({ remaining }) => remaining > 0);
  return merged(left.map(({ lot, remaining, expiresAt }) => ({ ...lot, remaining, expiresAt })));
}

/** As `currentLots`, but with the expiry that the lots would have without a cancellation. */
export function settledLots(meter: Meter): Lot[] {
  const left = lotStates(meter).filter(({ remaining }) => remaining > 0);
  return left.map(({ lot, remaining }) => ({ ...lot, remaining }));
}

/**
 * Takes out what has expired by `now`. Open holds count as drawn from the oldest lots: that part stays until the hold
 * is settled, and what the hold gives back expires then. The other lots stay as they are stored: which of them calls
 * have spent is decided as late as can be, as a resumption changes their order.
 */
export function expireLots(meter: Meter, now: number): { meter: Meter; entries: LedgerEntry[] } {
  let held = heldCredits(meter);
  const kept: Lot[] = [];
  const entries: LedgerEntry[] = [];
  for (const { lot, remaining, expiresAt } of lotStates(meter)) {
    const heldPart = Math.min(held, remaining);
    held -= heldPart;
    if (expiresAt > now) {
      kept.push(lot);
      continue;
    }
    if (remaining > heldPart) entries.push({ type: 'expiry', at: expiresAt, amount: heldPart - remaining });
    if (heldPart > 0) kept.push({ ...lot, remaining: heldPart });
  }
  const expiredSum = entries.reduce((sum, entry) => sum + entry.amount, 0);
  return { meter: { ...meter, lots: kept, spendable: meter.spendable + expiredSum }, entries };
}

/** Adds a lot; of one that would make the balance larger than a number holds exactly, what fits. */
export function addLot(
  meter: Meter,
  lot: Omit<Lot, 'remaining'>,
  at: number,
): { meter: Meter; entries: LedgerEntry[] } {
  const granted = Math.min(lot.granted, Number.MAX_SAFE_INTEGER - balance(meter));
  const lots = merged([...settledLots(meter), { ...lot, granted, remaining: granted }]);
  const entry: LedgerEntry = { type: 'grant', at, amount: granted, source: lot.source };
  return {
    meter: { ...meter, lots: withinLimit(lots, lot.source), spendable: meter.spendable + granted },
    entries: [entry],
  };
}

/** Lots of one source and expiry are one. */
function merged(lots: readonly Lot[]): Lot[] {
  const alike = Map.groupBy(lots, ({ source, expiresAt }) => `${source} ${expiresAt}`);
  return [...alike.values()].map((group) => group.reduce(joined));
}

function joined(one: Lot, other: Lot): Lot {
  const granted = Math.min(one.granted + other.granted, Number.MAX_SAFE_INTEGER);
  return { ...one, granted, remaining: one.remaining + other.remaining };
}

/** Of too many lots of a source, the two whose expiries are closest become one, with the later. */
function withinLimit(lots: Lot[], source: Lot['source']): Lot[] {
  const ordered = lots.filter((lot) => lot.source === source).toSorted((one, other) => one.expiresAt - other.expiresAt);
  if (ordered.length <= maxLotsPerSource) return lots;
  const gaps = ordered.slice(1).map((later, index) => later.expiresAt - (ordered[index]?.expiresAt ?? 0));
  const closest = gaps.indexOf(Math.min(...gaps));
  const expiresAt = ordered[closest + 1]?.expiresAt ?? 0;
  return merged(lots.map((lot) => (lot === ordered[closest] ? { ...lot, expiresAt } : lot)));
}
