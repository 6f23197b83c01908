import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import type { InferOutput } from 'valibot';
import type { AutoTopUp, Payment } from '#contract/payments/payments.ts';
import { dayOf } from '#contract/shared/time.ts';
import { creditCount, decimalMark, formatCents } from './format.ts';
import { planInSentence, planTitle } from './offer.ts';

export type PaymentRecord = InferOutput<typeof Payment>;
type Bought = Pick<PaymentRecord, 'kind' | 'credits' | 'planId'>;
type Status = PaymentRecord['status'];

/** Purpose of the payment, such as "1,000 credits" or "Upgrade to Pro Pass". */
export function paymentTitle({ kind, credits, planId = '' }: Bought): string {
  const bought = creditCount(credits);
  const plan = planTitle(planId);
  const titles: Readonly<Record<PaymentRecord['kind'], string>> = {
    pack: bought,
    top_up: t`${bought}, automatic top-up`,
    plan,
    upgrade: t`Upgrade to ${plan}`,
    renewal: t`${plan}, renewal`,
  };
  return titles[kind];
}

export const isForPlan = ({ kind }: Pick<Bought, 'kind'>): boolean =>
  kind === 'plan' || kind === 'upgrade' || kind === 'renewal';

interface StatusLabel {
  readonly title: string;
  readonly color: string;
}

const statuses: Readonly<Record<Status, Omit<StatusLabel, 'title'> & { readonly title: MessageDescriptor }>> = {
  created: { title: msg`Not paid yet`, color: 'gray' },
  action_required: { title: msg`Confirmation needed`, color: 'yellow.8' },
  paid: { title: msg`Processing`, color: 'gray' },
  granted: { title: msg`Paid`, color: 'pine' },
  failed: { title: msg`Failed`, color: 'red' },
  expired: { title: msg`Expired`, color: 'gray' },
  refunded: { title: msg`Refunded`, color: 'gray' },
  disputed: { title: msg`Disputed`, color: 'yellow.8' },
};

export function statusLabel({
  status,
  amount,
  refundedAmount,
}: Pick<PaymentRecord, 'status' | 'amount' | 'refundedAmount'>): StatusLabel {
  const isPart = status === 'granted' && refundedAmount > 0 && refundedAmount < amount;
  const { title, color } = isPart ? { ...statuses.refunded, title: msg`Partly refunded` } : statuses[status];
  return { title: i18n._(title), color };
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
  const plan = planInSentence(planId);
  const bought = creditCount(credits);
  const what = isForPlan(payment) ? t`the ${plan}` : bought;
  const next = adding(payment);
  const refunded = formatCents(refundedAmount);
  const texts: Readonly<Record<Status, ReturnText>> = {
    created: isCancelled
      ? { tone: 'warning', text: t`You left the payment page. Nothing was charged for ${what}.` }
      : isWaiting
        ? { tone: 'info', text: t`Waiting for the payment of ${sum} for ${what}…` }
        : {
            tone: 'warning',
            text: t`The payment of ${sum} has not arrived yet. If you have paid, it can take a few minutes, and we will send you a receipt.`,
          },
    action_required: {
      tone: 'warning',
      text: t`Your bank requires you to confirm the payment of ${sum} for ${what}. Nothing is charged until then.`,
    },
    paid: { tone: 'info', text: t`The payment of ${sum} has arrived. ${next}` },
    granted: {
      tone: 'info',
      text: isForPlan(payment) ? t`Paid ${sum}: ${title}.` : t`Paid ${sum}: ${bought} were added.`,
    },
    failed: { tone: 'error', text: t`The payment of ${sum} for ${what} failed. Nothing was charged.` },
    expired: {
      tone: 'warning',
      text: t`The payment page for ${what} expired before it was paid. Nothing was charged.`,
    },
    refunded: {
      tone: 'info',
      text:
        refundedAmount < amount
          ? t`${refunded} of ${sum} for ${what} was refunded.`
          : t`${sum} for ${what} was refunded.`,
    },
    disputed: { tone: 'warning', text: t`The payment of ${sum} for ${what} is disputed with your bank.` },
  };
  return texts[payment.status];
}

const adding = (payment: Bought): string =>
  isForPlan(payment) ? t`Your plan will change shortly.` : t`Your credits will be added shortly.`;

type Card = NonNullable<InferOutput<typeof AutoTopUp>['card']>;

const brands: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

/** Such as "Visa ending in 4242". */
export function cardTitle({ brand, last4 }: Pick<Card, 'brand' | 'last4'>): string {
  const name = brands[brand] ?? brand.slice(0, 1).toUpperCase() + brand.slice(1);
  return t`${name} ending in ${last4}`;
}

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

/**
 * Parses USD such as "50" or "49.99" into cents, with a point or the language's decimal mark. Undefined for other text.
 */
export function centsOf(text: string, mark = decimalMark): number | undefined {
  const [, whole, fraction = ''] = /^\$?(\d{1,6})(?:\.(\d{1,2}))?$/.exec(text.trim().replace(mark, '.')) ?? [];
  return whole === undefined ? undefined : Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

/** Inverse of `centsOf`. */
export const dollarsOf = (cents: number, mark = decimalMark): string =>
  cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2).replace('.', mark);

type TopUp = Pick<InferOutput<typeof AutoTopUp>, 'state' | 'lastFailure'>;
type Failure = NonNullable<TopUp['lastFailure']>['reason'];

const failures: Readonly<Record<Exclude<Failure, 'returned'>, string>> = {
  get declined() {
    return t`the card was declined`;
  },
  get action_required() {
    return t`the bank requires confirmation`;
  },
  get no_card() {
    return t`no card is saved`;
  },
  get monthly_limit() {
    return t`it would exceed the monthly limit`;
  },
  get unavailable() {
    return t`the payment provider could not be reached`;
  },
};

/** Describes the last failure and its effect. `day`: the formatted day of the failure. */
export function topUpFailure({ state, lastFailure }: TopUp, day: string): string | undefined {
  if (lastFailure === null) return undefined;
  if (lastFailure.reason === 'returned')
    return t`The automatic top-up is off, because a payment was refunded or disputed on ${day}.`;
  const reason = failures[lastFailure.reason];
  const failed = t`The top-up of ${day} failed, because ${reason}.`;
  if (state === 'action_required') return t`${failed} Confirm the payment, then save the top-up to turn it on again.`;
  if (state === 'off') return t`${failed} The automatic top-up is off.`;
  return lastFailure.reason === 'monthly_limit'
    ? t`${failed} It continues next month (UTC).`
    : t`${failed} It will be tried again.`;
}

/** The URL in an error's detail, without the full stop after it. */
export const linkIn = (text: string): string | undefined => /https?:\/\/[^\s"<>]*[^\s"<>.,;)]/.exec(text)?.[0];

/** The id of a payment in an error's detail. */
export const paymentIn = (text: string): string | undefined => /\bord_\w{20}\b/.exec(text)?.[0];

export const isPaymentId = (text: string): boolean => /^ord_\w{20}$/.test(text);

export const paymentPage = (id: string): string => `/billing?payment=${encodeURIComponent(id)}`;
