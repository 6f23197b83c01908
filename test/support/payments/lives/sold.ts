import type { Order } from '#domain/payments/order.ts';
import type { AccountLife } from './account-life.ts';
import type { Invoice } from './bank.ts';

/** The plans of the specification that are sold. */
export const soldPlans = [
  { rank: 2, cents: 2999, credits: 5000 },
  { rank: 3, cents: 9999, credits: 25_000 },
  { rank: 4, cents: 29_999, credits: 100_000 },
] as const;
export const planNames = ['dev_pass', 'smm_pass', 'pro_pass'];
export const rankOf = (name: string | undefined): number => planNames.indexOf(name ?? '') + 2;

/** A version of a plan, sold from a time in epoch seconds until the next one. */
export interface SoldPlan {
  readonly rank: number;
  readonly cents: number;
  readonly credits: number;
  readonly from: number;
}

export const versionOf = (cents: number, { sold }: Pick<AccountLife, 'sold'>): SoldPlan | undefined =>
  sold.find((one) => one.cents === cents);

/** Cents that the automatic top-up may spend in a month. */
export const monthlyLimit = 6000;
export const micro = 1_000_000;

/** Reasons for a refund without a grant. */
export const returned = new Set([
  'account_deleted',
  'already_subscribed',
  'plan_changed',
  'plan_ended',
  'plan_repeated',
  'paid_differs',
]);

/** Invoices that were paid, in money or by carrying a small sum. */
export const paidInvoices = ({ bank }: AccountLife): Invoice[] =>
  [...bank.invoices.values()].filter(({ status, cents, period, reason }) => {
    return status === 'paid' && !(reason === 'subscription_create' && period === undefined && cents === 0);
  });

export function orderOfInvoice({ rows, bank }: AccountLife, invoice: Invoice): Order[] {
  const tag =
    invoice.order ??
    (invoice.reason === 'subscription_create' ? bank.subscriptions.get(invoice.subscription ?? '')?.order : undefined);
  if (tag) return [...rows.orders.values()].filter(({ id }) => id === tag.id);
  return [...rows.orders.values()].filter(
    ({ kind, provider }) => kind === 'renewal' && provider.invoice === invoice.id,
  );
}
