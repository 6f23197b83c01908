import type { ServiceName } from '#contract/billing/prices.ts';
import { chain, counted, type Settled } from './credits/billing.ts';
import { expireLots, lastTaken, type LotPart, restore, takenFrom } from './credits/lots.ts';
import type { Settlement } from './meter-store.ts';
import { balance, type Hold, type LedgerEntry, type Meter, type Period } from './meter.ts';

/** A charge that may be refunded, stored with the item it paid for. Amounts in microcredits. */
export interface KeptCharge {
  readonly requestId: string;
  readonly service: ServiceName;
  readonly model: string;
  readonly keyId: string;
  readonly budget?: Hold['budget'];
  readonly amount: number;
  /** Lots that were charged, oldest expiry first. */
  readonly lots: readonly LotPart[];
  /** For a charge while the subscription was cancelled: the lots charged if that cancellation is undone. */
  readonly onResume?: { readonly cancellation: number; readonly lots: readonly LotPart[] };
  /** Billing month of the charge. */
  readonly period: Period;
}

/** Microcredits to return, and the job that the ledger entry refers to. */
export interface Refund extends Pick<LedgerEntry, 'job'> {
  readonly amount: number;
}

/** The part of a refund that returns to a key's budget for the period that began at `start`. */
export type BudgetRefund = NonNullable<Hold['budget']> & { readonly amount: number };

/** The charge of an open hold. Undefined if the account has no credits. */
export function keptCharge(meter: Meter, { requestId, hold, cost }: Settlement): KeptCharge | undefined {
  const lots = takenFrom(meter.lots, meter, cost);
  if (lots.length === 0) return undefined;
  const { service, model, keyId, budget } = hold;
  const cancellation = meter.subscription?.cancellation;
  return {
    requestId,
    service,
    model,
    keyId,
    ...(budget && { budget }),
    amount: cost,
    lots,
    ...(cancellation && {
      onResume: { cancellation: cancellation.seq, lots: takenFrom(cancellation.lots, meter, cost) },
    }),
    period: meter.period,
  };
}

/**
 * Returns credits of a charge to their lots, with the lots' current expiry; `now` in epoch seconds. Writes an entry
 * even for 0 credits, to record the end of the job.
 */
export function refund(before: Meter, charge: KeptCharge, back: Refund, now: number): Settled {
  // An empty lot that has expired would otherwise receive the refund and date its expiry back.
  const unexpired = expireLots(before, now);
  const refunded = chain(unexpired, (meter) => restored(meter, charge, back, now));
  return counted(
    before,
    chain(refunded, (meter) => expireLots(meter, now)),
    now,
  );
}

function restored(before: Meter, charge: KeptCharge, { amount, job }: Refund, now: number): Settled {
  const { requestId, service, model, keyId, period } = charge;
  const back = Math.min(amount, Number.MAX_SAFE_INTEGER - balance(before));
  const { lots, onResume } = lotsToRestore(charge, before);
  const { meter, entries } = restore(before, lastTaken(lots, back), lastTaken(onResume, back), now);
  const isSameMonth = period.anchor === meter.period.anchor && period.index === meter.period.index;
  const used = Math.max(0, (meter.used[service] ?? 0) - amount);
  const named = { ...(model !== '' && { model }), requestId, ...(keyId !== '' && { keyId }) };
  return {
    meter: isSameMonth ? { ...meter, used: { ...meter.used, [service]: used } } : meter,
    entries: [{ type: 'refund', at: now, amount: back, service, ...named, ...(job && { job }) }, ...entries],
  };
}

/**
 * The lots of a charge, now and as a resumption would restore them. For a charge during an earlier cancellation they
 * depend on whether that cancellation ended the subscription or was undone.
 */
function lotsToRestore({ lots, onResume }: KeptCharge, { subscription, endedCancellation }: Meter) {
  if (!onResume || onResume.cancellation === endedCancellation) return { lots, onResume: lots };
  if (onResume.cancellation === subscription?.cancellation?.seq) return { lots, onResume: onResume.lots };
  return { lots: onResume.lots, onResume: onResume.lots };
}

/** Returns credits to a budget only in the period of the charge, at most the used amount. */
export function budgetBack(meter: Meter, { budget }: KeptCharge, amount: number): BudgetRefund | undefined {
  const current = budget && meter.budgets.get(budget.id);
  if (amount === 0 || !budget || !current) return undefined;
  return current.start === budget.start && current.used >= amount ? { ...budget, amount } : undefined;
}
