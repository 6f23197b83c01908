import { balance, heldCredits, type LedgerEntry, type Lot, type Meter } from './meter.ts';

/** The lots with what calls have spent since they were last settled taken out, oldest expiry first. */
export function currentLots(meter: Meter): Lot[] {
  const ordered = meter.lots.toSorted((one, other) => one.expiresAt - other.expiresAt);
  let spent = ordered.reduce((sum, lot) => sum + lot.remaining, 0) - balance(meter);
  const lots = ordered.map((lot) => {
    const taken = Math.min(spent, lot.remaining);
    spent -= taken;
    return { ...lot, remaining: lot.remaining - taken };
  });
  return lots.filter((lot) => lot.remaining > 0);
}

/**
 * Takes out what has expired by `now`. Open holds count as drawn from the oldest lots: that part stays until the hold
 * is settled, and what the hold gives back expires then.
 */
export function expireLots(meter: Meter, now: number): { meter: Meter; entries: LedgerEntry[] } {
  let held = heldCredits(meter);
  const kept: Lot[] = [];
  const entries: LedgerEntry[] = [];
  for (const lot of currentLots(meter)) {
    const heldPart = Math.min(held, lot.remaining);
    held -= heldPart;
    const expired = lot.expiresAt <= now ? lot.remaining - heldPart : 0;
    if (expired > 0) entries.push({ type: 'expiry', at: lot.expiresAt, amount: -expired });
    if (lot.remaining > expired) kept.push({ ...lot, remaining: lot.remaining - expired });
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
  const lots = [...currentLots(meter), { ...lot, granted, remaining: granted }];
  const entry: LedgerEntry = { type: 'grant', at, amount: granted };
  return { meter: { ...meter, lots, spendable: meter.spendable + granted }, entries: [entry] };
}
