import type { ServiceName } from '#contract/billing/prices.ts';
import { counted, periodEnd, periodStart, type Settled } from './billing.ts';
import { settledLots } from './lots.ts';
import { balance, type LedgerEntry, type Lot, type Meter } from './meter.ts';

/** A charge that is given back whole. `amount` in microcredits, `chargedAt` in epoch seconds. */
export interface Refund {
  readonly service: ServiceName;
  readonly amount: number;
  readonly requestId: string;
  readonly chargedAt: number;
}

/**
 * Gives a charge back, as an entry of its own. What calls have spent since lots were settled becomes less by it; where that is less than the
 * charge, it goes to the lot that is spent next, or to one that ends with the month.
 */
export function refund(meter: Meter, { service, amount, requestId, chargedAt }: Refund, now: number): Settled {
  const entry: LedgerEntry = { type: 'refund', at: now, amount, service, requestId };
  const spent = meter.lots.reduce((sum, { remaining }) => sum + remaining, 0) - balance(meter);
  const isThisMonth = chargedAt >= periodStart(meter.period);
  const used = Math.max(0, (meter.used[service] ?? 0) - (isThisMonth ? amount : 0));
  const after = {
    ...meter,
    lots: amount > spent ? increased(meter, amount) : meter.lots,
    spendable: meter.spendable + amount,
    used: { ...meter.used, [service]: used },
  };
  return counted(meter, { meter: after, entries: [entry] }, now);
}

/** The lots with all that was spent taken out, and the amount in the next of them. */
function increased(meter: Meter, amount: number): Lot[] {
  const [next, ...others] = settledLots(meter);
  if (next) return [larger(next, amount), ...others];
  return [{ source: 'plan', granted: amount, remaining: amount, expiresAt: periodEnd(meter.period) }];
}

function larger(lot: Lot, amount: number): Lot {
  const remaining = lot.remaining + amount;
  return { ...lot, remaining, granted: Math.max(lot.granted, remaining) };
}
