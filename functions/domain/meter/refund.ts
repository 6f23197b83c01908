import type { ServiceName } from '#contract/billing/prices.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { withCapRefund } from './limits.ts';
import { expireLots, lastTaken, type LotPart, restore, takenFrom } from './lots.ts';
import {
  type Settlement,
  balance,
  type Hold,
  type LedgerEntry,
  type Meter,
  type Period,
  type Settled,
} from './meter.ts';
import type { MeterChanged, Metering } from './metering.ts';
import { chain, counted } from './periods.ts';
import type { PriceCode } from './pricing.ts';

export interface RefundableCharge {
  readonly requestId: string;
  readonly service: ServiceName;
  readonly model: string;
  readonly price?: PriceCode | undefined;
  readonly keyId: string;
  readonly budget?: Hold['budget'];
  readonly amount: number;
  readonly lots: readonly LotPart[];
  /** Set for a charge while the subscription was cancelled: the lots to charge if that cancellation is revoked. */
  readonly onResume?: { readonly cancellation: number; readonly lots: readonly LotPart[] };
  readonly period: Period;
  /** Epoch seconds. Charges of earlier versions have none. */
  readonly at?: number;
}

export interface Refund extends Pick<LedgerEntry, 'job'> {
  readonly amount: number;
}

export type BudgetRefund = NonNullable<Hold['budget']> & { readonly amount: number };

/** Returns the charge of an open hold; undefined if the account has no credits. */
export function refundableCharge(
  meter: Meter,
  { requestId, hold, cost, now }: Settlement,
): RefundableCharge | undefined {
  const lots = takenFrom(meter.lots, meter, cost);
  if (lots.length === 0) return undefined;
  const { service, model, price, keyId, budget } = hold;
  const cancellation = meter.subscription?.cancellation;
  return {
    requestId,
    service,
    model,
    ...(price !== undefined && { price }),
    keyId,
    ...(budget && { budget }),
    amount: cost,
    lots,
    ...(cancellation && {
      onResume: { cancellation: cancellation.seq, lots: takenFrom(cancellation.lots, meter, cost) },
    }),
    period: meter.period,
    at: Math.floor(now / 1000),
  };
}

/**
 * Credits return to their lots, with the current expiry. Records the end of the job even for 0 credits. `now` in
 * epoch seconds.
 */
export function refund(before: Meter, charge: RefundableCharge, back: Refund, now: number): Settled {
  // Expires lots first, so that no refund goes to an expired, empty lot.
  const unexpired = expireLots(before, now);
  const refunded = chain(unexpired, (meter) => restored(meter, charge, back, now));
  return counted(
    before,
    chain(refunded, (meter) => expireLots(meter, now)),
    now,
  );
}

function restored(before: Meter, charge: RefundableCharge, { amount, job }: Refund, now: number): Settled {
  const { requestId, service, model, price, keyId, period, at } = charge;
  const back = Math.min(amount, Number.MAX_SAFE_INTEGER - balance(before));
  const { lots, onResume } = lotsToRestore(charge, before);
  const returned = restore(before, lastTaken(lots, back), lastTaken(onResume, back), now);
  const meter = withCapRefund(returned.meter, amount, at);
  const isSameMonth = period.anchor === meter.period.anchor && period.index === meter.period.index;
  const used = Math.max(0, (meter.used[service] ?? 0) - amount);
  const named = {
    ...(model !== '' && { model }),
    ...(price !== undefined && { price }),
    requestId,
    ...(keyId !== '' && { keyId }),
  };
  return {
    meter: isSameMonth ? { ...meter, used: { ...meter.used, [service]: used } } : meter,
    entries: [{ type: 'refund', at: now, amount: back, service, ...named, ...(job && { job }) }, ...returned.entries],
  };
}

/** Bounds the meter's item. A refund needs only the cancellations of the three months that its lots live. */
export const maxEndedCancellations = 16;

/** Selects the lots by the outcome of the cancellation that was pending at the charge. */
function lotsToRestore({ lots, onResume }: RefundableCharge, { subscription, endedCancellations = [] }: Meter) {
  if (!onResume || hasEnded(onResume.cancellation, endedCancellations)) return { lots, onResume: lots };
  if (onResume.cancellation === subscription?.cancellation?.seq) return { lots, onResume: onResume.lots };
  return { lots: onResume.lots, onResume: onResume.lots };
}

/** A full list has only the newest ended cancellations: one that is older than all of them has ended too. */
const hasEnded = (cancellation: number, ended: readonly number[]): boolean =>
  ended.includes(cancellation) || (ended.length === maxEndedCancellations && cancellation < Math.min(...ended));

/** Returns credits to a budget only in the period of the charge, at most the used amount. */
export function budgetBack(meter: Meter, { budget }: RefundableCharge, amount: number): BudgetRefund | undefined {
  const current = budget && meter.budgets.get(budget.id);
  if (amount === 0 || !budget || !current) return undefined;
  return current.start === budget.start && current.used >= amount ? { ...budget, amount } : undefined;
}

export interface RefundWrite {
  readonly before: Meter;
  readonly after: Meter;
  readonly entries: readonly LedgerEntry[];
  readonly budget: BudgetRefund | undefined;
}

/** `changed`: the refunded item changed first; nothing was written. */
export type WrittenRefund = 'done' | 'changed' | MeterChanged;

export function refunds(metering: Pick<Metering, 'change'>, clock: Clock) {
  return async function refundCharge(
    accountId: number,
    charge: RefundableCharge,
    back: Refund,
    write: (write: RefundWrite) => Promise<WrittenRefund>,
  ): Promise<'done' | 'changed' | 'no account'> {
    const now = clock.now();
    let written: WrittenRefund | undefined;
    try {
      await metering.change(
        accountId,
        now,
        (meter) => refund(meter, charge, back, Math.floor(now / 1000)),
        async (before, after, entries) => {
          written = await write({ before, after, entries, budget: budgetBack(before, charge, back.amount) });
          return written !== 'meter changed';
        },
      );
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'NOT_FOUND') return 'no account';
      throw error;
    }
    return written === 'done' ? 'done' : 'changed';
  };
}
