import type { ServiceName } from '#contract/billing/prices.ts';
import { chain, counted, type Settled } from './credits/billing.ts';
import { addLot, expireLots, settledLots } from './credits/lots.ts';
import type { Settlement } from './meter-store.ts';
import type { Hold, LedgerEntry, Lot, Meter, Period } from './meter.ts';

/** What was taken from a lot. Microcredits. */
export interface LotPart extends Pick<Lot, 'source' | 'expiresAt'> {
  readonly amount: number;
}

/** What a call was charged, kept with what it was charged for, and where that goes back to. Microcredits. */
export interface KeptCharge {
  readonly requestId: string;
  readonly service: ServiceName;
  readonly model: string;
  readonly keyId: string;
  readonly budget?: Hold['budget'];
  readonly amount: number;
  /** What it was taken from, in the order of expiry. */
  readonly lots: readonly LotPart[];
  /** Billing month of the charge. */
  readonly period: Period;
}

/** Microcredits that come back, and the job that the entry is about. */
export interface Refund extends Pick<LedgerEntry, 'job'> {
  readonly amount: number;
}

/** What of a key's budget comes back too, in the period that began then. */
export type BudgetRefund = NonNullable<Hold['budget']> & { readonly amount: number };

/** The charge of an open hold. Undefined without any lot. */
export function keptCharge(meter: Meter, { requestId, hold, cost }: Settlement): KeptCharge | undefined {
  const lots = lotsOf(meter, cost);
  const { service, model, keyId, budget } = hold;
  const { period } = meter;
  if (lots.length === 0) return undefined;
  return { requestId, service, model, keyId, ...(budget && { budget }), amount: cost, lots, period };
}

/**
 * What a cost is taken from, as if its hold were the only one: what comes back then never lives longer than it did, whatever concurrent
 * holds came to.
 */
function lotsOf(meter: Meter, cost: number): LotPart[] {
  let left = cost;
  return settledLots(meter).flatMap(({ source, expiresAt, remaining }) => {
    const amount = Math.min(left, remaining);
    left -= amount;
    return amount > 0 ? [{ source, expiresAt, amount }] : [];
  });
}

/** As much as comes back of what was taken: the last of it, as if the cost had been smaller. */
function lastOf(lots: readonly LotPart[], back: number): LotPart[] {
  let left = back;
  return lots.toReversed().flatMap((part) => {
    const amount = Math.min(left, part.amount);
    left -= amount;
    return amount > 0 ? [{ ...part, amount }] : [];
  });
}

/**
 * Gives credits of a charge back; `now` in epoch seconds. Where their lots have expired, they expire. An entry of nothing is written too: something has
 * ended.
 */
export function refund(before: Meter, charge: KeptCharge, { amount, job }: Refund, now: number): Settled {
  const { requestId, service, model, keyId, lots, period } = charge;
  const meter = lastOf(lots, amount).reduce(
    (current, { amount: granted, ...lot }) => addLot(current, { ...lot, granted }, now).meter,
    before,
  );
  const isSameMonth = period.anchor === meter.period.anchor && period.index === meter.period.index;
  const used = Math.max(0, (meter.used[service] ?? 0) - amount);
  const named = { ...(model !== '' && { model }), requestId, ...(keyId !== '' && { keyId }) };
  const refunded: Settled = {
    meter: isSameMonth ? { ...meter, used: { ...meter.used, [service]: used } } : meter,
    entries: [{ type: 'refund', at: now, amount, service, ...named, ...(job && { job }) }],
  };
  return counted(
    before,
    chain(refunded, (current) => expireLots(current, now)),
    now,
  );
}

/** Of a budget in the period that it was taken from, and never more than was. */
export function budgetBack(meter: Meter, { budget }: KeptCharge, amount: number): BudgetRefund | undefined {
  const current = budget && meter.budgets.get(budget.id);
  if (amount === 0 || !budget || !current) return undefined;
  return current.start === budget.start && current.used >= amount ? { ...budget, amount } : undefined;
}
