import { balance, heldCredits, type LedgerEntry, type Lot, type Meter, type Settled } from './meter.ts';

/** Maximum lots per source and account, which bounds the item's size. Only operator grants reach it. */
export const maxLotsPerSource = 14;

export interface LotPart extends Pick<Lot, 'id' | 'source' | 'expiresAt'> {
  readonly amount: number;
}

const total = (lots: readonly Lot[]): number => lots.reduce((sum, { remaining }) => sum + remaining, 0);

const byExpiry = (lots: readonly Lot[]): Lot[] => lots.toSorted((one, other) => one.expiresAt - other.expiresAt);

/** Deducts the credits spent since the lots were last settled, oldest expiry first. */
function settled(lots: readonly Lot[], meter: Meter): Lot[] {
  let spent = total(lots) - balance(meter);
  return lots.map((lot) => {
    const taken = Math.min(spent, lot.remaining);
    spent -= taken;
    return { ...lot, remaining: lot.remaining - taken };
  });
}

/** Changes the lots and, during a cancellation, also the lots that a resumption would restore. */
function changeLots(meter: Meter, change: (lots: readonly Lot[], isOnResume: boolean) => Lot[]): Meter {
  const { subscription } = meter;
  const lots = change(meter.lots, false);
  if (!subscription?.cancellation) return { ...meter, lots };
  const cancellation = { ...subscription.cancellation, lots: change(subscription.cancellation.lots, true) };
  return { ...meter, lots, subscription: { ...subscription, cancellation } };
}

/** Deducts the spending of calls from the lots. Changes neither the balance nor the result of a resumption. */
export const settleLots = (meter: Meter): Meter => changeLots(meter, (lots) => settled(lots, meter));

export const currentLots = (meter: Meter): Lot[] => settled(meter.lots, meter).filter(({ remaining }) => remaining > 0);

export function mergedLots(meter: Meter): Lot[] {
  const alike = Map.groupBy(currentLots(meter), ({ source, expiresAt }) => `${source} ${expiresAt}`);
  return [...alike.values()].map((group) => group.reduce(joined));
}

export const capPlanLots = (lots: readonly Lot[], expiresAt: number): Lot[] =>
  byExpiry(
    lots.map((lot) => (lot.source === 'plan' ? { ...lot, expiresAt: Math.min(lot.expiresAt, expiresAt) } : lot)),
  );

/** Open holds draw from the oldest lots: their part remains until the settlement, and returned credits then expire. */
export function expireLots(meter: Meter, now: number): Settled {
  const entries: LedgerEntry[] = [];
  const kept = changeLots(meter, (lots, isOnResume) => {
    const unexpired = withoutExpired(lots, meter, now);
    if (!isOnResume) entries.push(...unexpired.entries);
    return unexpired.lots;
  });
  const expired = entries.reduce((sum, entry) => sum + entry.amount, 0);
  return { meter: { ...kept, spendable: meter.spendable + expired }, entries };
}

/** Keeps unexpired lots as stored, and empty ones, so that a refund finds its lot. */
function withoutExpired(lots: readonly Lot[], meter: Meter, now: number) {
  let held = heldCredits(meter);
  const entries: LedgerEntry[] = [];
  const kept = settled(lots, meter).flatMap(({ remaining, ...lot }, index): Lot[] => {
    const heldPart = Math.min(held, remaining);
    held -= heldPart;
    if (lot.expiresAt > now) return lots.slice(index, index + 1);
    if (remaining > heldPart) entries.push({ type: 'expiry', at: lot.expiresAt, amount: heldPart - remaining });
    return heldPart > 0 ? [{ ...lot, remaining: heldPart }] : [];
  });
  return { lots: kept, entries };
}

export function addLot(meter: Meter, lot: Pick<Lot, 'source' | 'granted' | 'expiresAt'>, at: number): Settled {
  const granted = Math.min(lot.granted, Number.MAX_SAFE_INTEGER - balance(meter));
  const id = meter.lotsGranted + 1;
  const added = withinLimit(
    changeLots(settleLots(meter), (lots) => withLot(lots, { ...lot, id, granted, remaining: granted })),
    lot.source,
  );
  const entry: LedgerEntry = { type: 'grant', at, amount: granted, source: lot.source };
  return { meter: { ...added, lotsGranted: id, spendable: meter.spendable + granted }, entries: [entry] };
}

function withLot(lots: readonly Lot[], lot: Lot): Lot[] {
  const index = lots.findIndex(({ source, expiresAt }) => source === lot.source && expiresAt === lot.expiresAt);
  const same = lots[index];
  return same ? lots.with(index, joined(same, lot)) : byExpiry([...lots, lot]);
}

function joined(one: Lot, other: Lot): Lot {
  const granted = Math.min(one.granted + other.granted, Number.MAX_SAFE_INTEGER);
  return { ...one, granted, remaining: one.remaining + other.remaining };
}

/** Merges the two lots with the closest expiries. A resumption would merge the same two. */
function withinLimit(meter: Meter, source: Lot['source']): Meter {
  const ofSource = meter.lots.filter((lot) => lot.source === source);
  if (ofSource.length <= maxLotsPerSource) return meter;
  const gaps = ofSource.slice(1).map((later, index) => later.expiresAt - (ofSource[index]?.expiresAt ?? 0));
  const [earlier, later] = ofSource.slice(gaps.indexOf(Math.min(...gaps)));
  if (!earlier || !later) return meter;
  return changeLots(meter, (lots) => {
    const absorbed = lots.find(({ id }) => id === earlier.id);
    const into = lots.find(({ id }) => id === later.id);
    if (!absorbed || !into) return [...lots];
    const both = { ...joined(into, absorbed), expiresAt: Math.max(into.expiresAt, absorbed.expiresAt) };
    return byExpiry(lots.flatMap((lot) => (lot === absorbed ? [] : lot === into ? [both] : [lot])));
  });
}

/** Returns the lot parts that pay `amount`, as if it were the only cost since the lots were settled. */
export function takenFrom(lots: readonly Lot[], meter: Meter, amount: number): LotPart[] {
  let left = amount;
  return settled(lots, meter).flatMap(({ id, source, expiresAt, remaining }) => {
    const taken = Math.min(left, remaining);
    left -= taken;
    return taken > 0 ? [{ id, source, expiresAt, amount: taken }] : [];
  });
}

/** Returns the last `amount` of the parts: the credits that a smaller cost would not have used. */
export function lastTaken(parts: readonly LotPart[], amount: number): LotPart[] {
  let left = amount;
  return parts.toReversed().flatMap((part) => {
    const taken = Math.min(left, part.amount);
    left -= taken;
    return taken > 0 ? [{ ...part, amount: taken }] : [];
  });
}

/** `parts` return to the current lots, `onResume` to the lots that a resumption would restore. */
export function restore(before: Meter, parts: readonly LotPart[], onResume: readonly LotPart[], now: number): Settled {
  const amount = parts.reduce((sum, part) => sum + part.amount, 0);
  const meter = settleLots(before);
  const restored = changeLots(meter, (lots, isOnResume) => returned(lots, isOnResume ? onResume : parts, now));
  const lost = total(meter.lots) + amount - total(restored.lots);
  const entries: LedgerEntry[] = lost > 0 ? [{ type: 'expiry', at: now, amount: -lost }] : [];
  return { meter: { ...restored, spendable: before.spendable + amount - lost }, entries };
}

function returned(lots: readonly Lot[], parts: readonly LotPart[], now: number): Lot[] {
  return parts.reduce<Lot[]>(
    (current, part) => {
      const byId = current.findIndex(({ id }) => id === part.id);
      const index = byId >= 0 ? byId : current.findIndex((lot) => hasAbsorbed(lot, part, now));
      const lot = current[index];
      return lot ? current.with(index, { ...lot, remaining: lot.remaining + part.amount }) : current;
    },
    [...lots],
  );
}

/** The same expiry, or the next purchased lot, because the expiry of purchased lots is never shortened. */
function hasAbsorbed(lot: Lot, { source, expiresAt }: LotPart, now: number): boolean {
  if (lot.source !== source) return false;
  return lot.expiresAt === expiresAt || (source === 'purchase' && expiresAt > now && lot.expiresAt > expiresAt);
}

/** A lot that was granted earlier. Its expiry changes with a cancellation, and merged lots have one of their ids. */
export type GrantedLot = Pick<Lot, 'id' | 'source' | 'expiresAt'>;

function indexOf(lots: readonly Lot[], { id, source, expiresAt }: GrantedLot): number {
  const byId = lots.findIndex((lot) => lot.id === id);
  return byId >= 0 ? byId : lots.findIndex((lot) => lot.source === source && lot.expiresAt === expiresAt);
}

/** Credits of a lot that are neither spent nor held. Open holds draw from the lots that expire first. */
export function freeIn(meter: Meter, granted: GrantedLot): number {
  const lots = settled(meter.lots, meter);
  const index = indexOf(lots, granted);
  let held = heldCredits(meter);
  for (const { remaining } of lots.slice(0, Math.max(0, index))) held -= Math.min(held, remaining);
  return Math.max(0, (lots[index]?.remaining ?? 0) - held);
}

/** Changes the credits of a lot: by at most `freeIn` if they are removed. Returns undefined if the lot has expired. */
export function changeLot(meter: Meter, granted: GrantedLot, amount: number): Meter | undefined {
  if (indexOf(meter.lots, granted) < 0) return undefined;
  const changed = changeLots(settleLots(meter), (lots) => {
    const index = indexOf(lots, granted);
    const lot = lots[index];
    if (!lot) return [...lots];
    const [whole = 0, remaining = 0] = [lot.granted, lot.remaining].map((before) => Math.max(0, before + amount));
    return lots.with(index, { ...lot, granted: whole, remaining });
  });
  return { ...changed, spendable: meter.spendable + amount };
}
