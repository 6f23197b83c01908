import type { topUpFailures } from '#contract/payments/payments.ts';
import { type Addressee, emailContent, type MailContent } from '../accounts/mails.ts';
import type { SavedCard } from './provider.ts';

/** Such as `29.99 USD`. */
const usd = (cents: number): string => `${(cents / 100).toFixed(2)} USD`;

/** Created on use, because loading the first formatter takes 20 ms. */
const whole = (value: number): string => new Intl.NumberFormat('en-US').format(value);
const creditsOf = (credits: number): string => `${whole(credits)} ${credits === 1 ? 'credit' : 'credits'}`;

interface Receipt {
  /** Purpose of the payment, such as `5,000 credits`, `Dev Pass` or `Upgrade to Pro Pass`. */
  readonly what: string;
  /** Charged amount, including taxes. */
  readonly cents: number;
  /** Credits that were added. */
  readonly credits: number;
  /** Last day of these credits, as `2027-11-30`. */
  readonly creditsUntil: string;
}

/** `link`: the receipt or invoice of the payment provider, or the billing page. */
export function receiptMail(to: Addressee, { what, cents, credits, creditsUntil }: Receipt, link: string): MailContent {
  const added =
    credits === 0
      ? ''
      : ` ${creditsOf(credits)} ${credits === 1 ? 'was' : 'were'} added and can be spent until ${creditsUntil}.`;
  return emailContent({
    subject: `Receipt for ${usd(cents)}`,
    to,
    body: `We received your payment of ${usd(cents)} for: ${what}.${added}`,
    action: 'View the receipt',
    link,
    footer: 'All payments and their invoices are on the billing page of your account.',
  });
}

interface FailedRenewal {
  /** Title of the plan. */
  readonly plan: string;
  readonly cents: number;
  /** Day on which the plan ends unless it is paid, as `2026-12-08`. */
  readonly endsOn: string;
}

/** `link`: the hosted invoice page, or the billing page. */
export function paymentFailedMail(to: Addressee, { plan, cents, endsOn }: FailedRenewal, link: string): MailContent {
  return emailContent({
    subject: `Your payment for ${plan} failed`,
    to,
    body: `We could not charge ${usd(cents)} for the next month of ${plan}. You keep the limits of the plan until ${endsOn}, without new credits. If it is not paid by then, the plan ends.`,
    action: 'Pay or change the card',
    link,
    footer: 'The charge will be tried again. If you pay in the meantime, there is nothing else to do.',
  });
}

/** For a payment that requires authentication. `link`: the page to confirm it. */
export function confirmPaymentMail(
  to: Addressee,
  { what, cents }: Pick<Receipt, 'what' | 'cents'>,
  link: string,
): MailContent {
  return emailContent({
    subject: 'Confirm your payment',
    to,
    body: `Your bank requires you to confirm the payment of ${usd(cents)} for: ${what}. Nothing is charged or changed until then.`,
    action: 'Confirm the payment',
    link,
    footer: 'If you do not recognize this payment, do not confirm it, and look at the billing page of your account.',
  });
}

/** `link`: the billing page. */
export function cardExpiringMail(
  to: Addressee,
  { brand, last4, expMonth, expYear }: Pick<SavedCard, 'brand' | 'last4' | 'expMonth' | 'expYear'>,
  link: string,
): MailContent {
  const name = brand.slice(0, 1).toUpperCase() + brand.slice(1);
  return emailContent({
    subject: 'Your card expires soon',
    to,
    body: `The ${name} card ending in ${last4} expires at the end of ${String(expMonth).padStart(2, '0')}/${expYear}. Save another one, so that your plan and automatic top-ups continue.`,
    action: 'Change the card',
    link,
    footer: 'Your bank may update a renewed card automatically.',
  });
}

interface UnpaidPlan {
  /** Title of the plan. */
  readonly plan: string;
  /** Last day on which its credits can be spent, as `2027-01-07`. */
  readonly creditsUntil: string;
}

/** `link`: the plans. */
export function planEndedUnpaidMail(to: Addressee, { plan, creditsUntil }: UnpaidPlan, link: string): MailContent {
  return emailContent({
    subject: `${plan} ended because it was not paid`,
    to,
    body: `The current month of ${plan} was not paid, or its payment was refunded or disputed, so the plan has ended after seven days. Its remaining credits can be spent until ${creditsUntil}. Credits that you bought keep their own date.`,
    action: 'Choose a plan',
    link,
    footer: 'The open invoice was cancelled. You owe nothing.',
  });
}

interface FailedTopUp {
  readonly credits: number;
  readonly cents: number;
  readonly reason: (typeof topUpFailures)[number];
  /** Whether the automatic top-up was switched off. */
  readonly isOff: boolean;
}

const topUpReasons: Readonly<Record<Exclude<FailedTopUp['reason'], 'returned'>, string>> = {
  declined: 'your card was declined',
  action_required: 'your bank requires you to confirm it',
  no_card: 'no card is saved',
  monthly_limit: 'it would exceed your limit for this month',
  unavailable: 'our payment provider could not be reached',
};

/** `link`: the page to confirm the payment if it requires authentication, otherwise the billing page. */
export function topUpFailedMail(
  to: Addressee,
  { credits, cents, reason, isOff }: FailedTopUp,
  link: string,
): MailContent {
  const next = isOff
    ? 'The automatic top-up is now off.'
    : reason === 'monthly_limit'
      ? 'It continues next month (UTC).'
      : 'It will be tried again.';
  const problem =
    reason === 'returned'
      ? 'A payment was refunded or disputed.'
      : `The automatic purchase of ${creditsOf(credits)} for ${usd(cents)} failed, because ${topUpReasons[reason]}.`;
  return emailContent({
    subject: isOff ? 'Your automatic top-up was switched off' : 'Your automatic top-up failed',
    to,
    body: `${problem} ${next}`,
    action: reason === 'action_required' ? 'Confirm the payment' : 'View billing',
    link,
    footer: 'Calls are refused once your credits are used up. You can buy credits on the billing page at any time.',
  });
}

interface ReturnedPayment {
  readonly what: string;
  /** Refunded or disputed cents. */
  readonly cents: number;
  /** Whole credits that were taken back. */
  readonly creditsTaken: number;
  /**
   * The last three could not be granted. `late`: the plan had ended. `second`: the account had a plan. `changed`: the
   * plan had changed.
   */
  readonly reason: 'refunded' | 'disputed' | 'late' | 'second' | 'changed';
}

/** `link`: the billing page. */
export function paymentReturnedMail(
  to: Addressee,
  { what, cents, creditsTaken, reason }: ReturnedPayment,
  link: string,
): MailContent {
  const texts = {
    refunded: `We refunded ${usd(cents)} of your payment for ${what}.`,
    disputed: `Your bank reported a dispute over ${usd(cents)} of your payment for ${what}.`,
    late: `Your payment for ${what} arrived after the plan had ended, so we refunded ${usd(cents)}.`,
    second: `You already had a plan when your payment for ${what} arrived, so we refunded ${usd(cents)}.`,
    changed: `Your plan had changed when your payment for ${what} arrived, so we refunded ${usd(cents)}.`,
  };
  const taken =
    creditsTaken === 0 ? '' : ` ${creditsOf(creditsTaken)} ${creditsTaken === 1 ? 'was' : 'were'} taken back.`;
  return emailContent({
    subject: reason === 'disputed' ? 'A payment was disputed' : `We refunded ${usd(cents)}`,
    to,
    body: texts[reason] + taken,
    action: 'View billing',
    link,
    footer:
      reason === 'disputed'
        ? 'If you did not open this dispute, or have resolved it, contact us.'
        : 'The refund usually arrives within 5 to 10 business days.',
  });
}
