import type { Plans } from '#contract/billing/plans.ts';
import type { Meter, Settled } from '../meter/meter.ts';
import { chain, counted, planOfMeter } from '../meter/periods.ts';
import { grantMonth, recorded, withNotice } from './grants.ts';

/** A period that the payment provider charged. Epoch seconds. */
export interface PaidPeriod {
  readonly start: number;
  readonly end: number;
}

/**
 * `ended`: the plan has ended, so the payment is refunded. `repeated`: the period was paid before. `gap`: it
 * does not begin at the end of the paid time, so that a month in between would be granted without payment.
 */
export type PeriodRefusal = 'ended' | 'repeated' | 'gap';

export function refusalOf({ subscription }: Meter, { start, end }: PaidPeriod): PeriodRefusal | undefined {
  if (subscription?.status !== 'active' || subscription.paidUntil === undefined) return 'ended';
  if (end <= subscription.paidUntil) return 'repeated';
  return start === subscription.paidUntil ? undefined : 'gap';
}

/** Extends the paid time, and grants the month if it has begun. Times in epoch seconds. */
export function payPeriod(meter: Meter, { end }: PaidPeriod, payment: string, now: number, plans: Plans): Settled {
  if (!meter.subscription) throw new Error('there is no subscription to pay');
  const { unpaidSince, ...kept } = meter.subscription;
  const paid = { ...meter, subscription: { ...kept, paidUntil: end } };
  const plan = planOfMeter(meter, plans);
  if (unpaidSince === undefined) {
    return counted(meter, recorded(paid, now, { kind: 'paid', plan: plan.name, effectiveAt: end }, payment), now);
  }
  const granted = grantMonth(paid, now, plans);
  const entries = granted.entries.map((entry) => ({ ...entry, payment }));
  const settled = chain({ meter: granted.meter, entries }, (current) => withNotice(current, plan, now));
  return counted(meter, settled, now);
}
