import type { InferOutput } from 'valibot';
import type { AutoTopUp, Payment } from '#contract/payments/payments.ts';
import { dayOf } from '#contract/shared/time.ts';
import { creditCount, formatCents } from './format.ts';
import { planInSentence, planTitle } from './offer.ts';

export type PaymentRecord = InferOutput<typeof Payment>;
type Bought = Pick<PaymentRecord, 'kind' | 'credits' | 'planId'>;
type Status = PaymentRecord['status'];

/** Purpose of the payment, such as "1,000 credits" or "Upgrade to Pro Pass". */
export function paymentTitle({ kind, credits, planId = '' }: Bought): string {
  const titles: Readonly<Record<PaymentRecord['kind'], string>> = {
    pack: creditCount(credits),
    top_up: `${creditCount(credits)}, automatic top-up`,
    plan: planTitle(planId),
    upgrade: `Upgrade to ${planTitle(planId)}`,
    renewal: `${planTitle(planId)}, renewal`,
  };
  return titles[kind];
}

export const isForPlan = ({ kind }: Pick<Bought, 'kind'>): boolean =>
  kind === 'plan' || kind === 'upgrade' || kind === 'renewal';

interface StatusLabel {
  readonly title: string;
  readonly color: string;
}

const statuses: Readonly<Record<Status, StatusLabel>> = {
  created: { title: 'Not paid yet', color: 'gray' },
  action_required: { title: 'Confirmation needed', color: 'yellow.8' },
  paid: { title: 'Processing', color: 'gray' },
  granted: { title: 'Paid', color: 'pine' },
  failed: { title: 'Failed', color: 'red' },
  expired: { title: 'Expired', color: 'gray' },
  refunded: { title: 'Refunded', color: 'gray' },
  disputed: { title: 'Disputed', color: 'yellow.8' },
};

export function statusLabel({
  status,
  amount,
  refundedAmount,
}: Pick<PaymentRecord, 'status' | 'amount' | 'refundedAmount'>): StatusLabel {
  const isPart = status === 'granted' && refundedAmount > 0 && refundedAmount < amount;
  return isPart ? { ...statuses.refunded, title: 'Partly refunded' } : statuses[status];
}

/** Polls of a payment after checkout: one per second at first, and a minute in total. */
const fastReads = 15;
const maxReads = 30;

/** Milliseconds until the next poll. False if the payment is final or all polls are used. */
export function nextReadMs(status: Status | undefined, reads: number): number | false {
  const isMoving = status === 'created' || status === 'paid' || status === 'action_required';
  if (!isMoving || reads >= maxReads) return false;
  return reads < fastReads ? 1000 : 3000;
}

interface ReturnText {
  readonly tone: 'info' | 'warning' | 'error';
  readonly text: string;
}

/** Describes a payment after the return from checkout. */
export function returnText(
  payment: PaymentRecord,
  { isCancelled, isWaiting }: { isCancelled: boolean; isWaiting: boolean },
): ReturnText {
  const { credits, amount, refundedAmount, planId = '' } = payment;
  const sum = formatCents(amount);
  const title = paymentTitle(payment);
  const what = isForPlan(payment) ? `the ${planInSentence(planId)}` : creditCount(credits);
  const texts: Readonly<Record<Status, ReturnText>> = {
    created: isCancelled
      ? { tone: 'warning', text: `You left the payment page. Nothing was charged for ${what}.` }
      : isWaiting
        ? { tone: 'info', text: `Waiting for the payment of ${sum} for ${what}…` }
        : {
            tone: 'warning',
            text: `The payment of ${sum} has not arrived yet. If you have paid, it can take a few minutes, and we will send you a receipt.`,
          },
    action_required: {
      tone: 'warning',
      text: `Your bank requires you to confirm the payment of ${sum} for ${what}. Nothing is charged until then.`,
    },
    paid: { tone: 'info', text: `The payment of ${sum} has arrived. ${adding(payment)}` },
    granted: {
      tone: 'info',
      text: isForPlan(payment) ? `Paid ${sum}: ${title}.` : `Paid ${sum}: ${creditCount(credits)} were added.`,
    },
    failed: { tone: 'error', text: `The payment of ${sum} for ${what} failed. Nothing was charged.` },
    expired: {
      tone: 'warning',
      text: `The payment page for ${what} expired before it was paid. Nothing was charged.`,
    },
    refunded: {
      tone: 'info',
      text: `${refundedAmount < amount ? `${formatCents(refundedAmount)} of ${sum}` : sum} for ${what} was refunded.`,
    },
    disputed: { tone: 'warning', text: `The payment of ${sum} for ${what} is disputed with your bank.` },
  };
  return texts[payment.status];
}

const adding = (payment: Bought): string =>
  isForPlan(payment) ? 'Your plan will change shortly.' : 'Your credits will be added shortly.';

type Card = NonNullable<InferOutput<typeof AutoTopUp>['card']>;

const brands: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

/** Such as "Visa ending in 4242". */
export const cardTitle = ({ brand, last4 }: Pick<Card, 'brand' | 'last4'>): string =>
  `${brands[brand] ?? brand.slice(0, 1).toUpperCase() + brand.slice(1)} ending in ${last4}`;

/** "04/2031". */
export const cardExpiry = ({ expMonth, expYear }: Pick<Card, 'expMonth' | 'expYear'>): string =>
  `${String(expMonth).padStart(2, '0')}/${expYear}`;

/** Whether the card has expired. A card is valid until the end of its month. `now` in epoch ms. */
export const isExpired = ({ expMonth, expYear }: Pick<Card, 'expMonth' | 'expYear'>, now: number): boolean =>
  Date.UTC(expYear, expMonth) <= now;

/** Last day (UTC) of the credits of a pack that is bought now, as an ISO date. `now` in epoch ms. */
export function lastDayOf(validMonths: number, now: number): string {
  const bought = new Date(now);
  const end = Date.UTC(bought.getUTCFullYear(), bought.getUTCMonth() + validMonths + 1, 0);
  return dayOf(end);
}

/** Cents of an amount in USD such as "50" or "49.99". Undefined for any other text. */
export function centsOf(text: string): number | undefined {
  const [, whole, fraction = ''] = /^\$?(\d{1,6})(?:\.(\d{1,2}))?$/.exec(text.trim()) ?? [];
  return whole === undefined ? undefined : Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

/** Inverse of `centsOf`. */
export const dollarsOf = (cents: number): string =>
  cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2);

type TopUp = Pick<InferOutput<typeof AutoTopUp>, 'state' | 'lastFailure'>;
type Failure = NonNullable<TopUp['lastFailure']>['reason'];

const failures: Readonly<Record<Exclude<Failure, 'returned'>, string>> = {
  declined: 'the card was declined',
  action_required: 'the bank requires confirmation',
  no_card: 'no card is saved',
  monthly_limit: 'it would exceed the monthly limit',
  unavailable: 'the payment provider could not be reached',
};

/** Describes the last failure and its effect. `day`: the formatted day of the failure. */
export function topUpFailure({ state, lastFailure }: TopUp, day: string): string | undefined {
  if (lastFailure === null) return undefined;
  if (lastFailure.reason === 'returned')
    return `The automatic top-up is off, because a payment was refunded or disputed on ${day}.`;
  const failed = `The top-up of ${day} failed, because ${failures[lastFailure.reason]}.`;
  if (state === 'action_required') return `${failed} Confirm the payment, then save the top-up to turn it on again.`;
  if (state === 'off') return `${failed} The automatic top-up is off.`;
  return lastFailure.reason === 'monthly_limit'
    ? `${failed} It continues next month (UTC).`
    : `${failed} It will be tried again.`;
}

/** The URL in an error's detail, without the full stop after it. */
export const linkIn = (text: string): string | undefined => /https?:\/\/[^\s"<>]*[^\s"<>.,;)]/.exec(text)?.[0];

/** The id of a payment in an error's detail. */
export const paymentIn = (text: string): string | undefined => /\bord_\w{20}\b/.exec(text)?.[0];

export const isPaymentId = (text: string): boolean => /^ord_\w{20}$/.test(text);

export const paymentPage = (id: string): string => `/billing?payment=${encodeURIComponent(id)}`;
