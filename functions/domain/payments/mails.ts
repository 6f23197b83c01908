import { findPlan, type PlanLimits, titleOf } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { type topUpFailures, findPack } from '#contract/payments/payments.ts';
import { isoOfSeconds } from '#contract/shared/time.ts';
import type { Account } from '../accounts/account.ts';
import { type Addressee, emailContent, type MailContent } from '../accounts/mail-layout.ts';
import { addresseeOf, wantsMail } from '../accounts/mail-preferences.ts';
import { pastDueSeconds } from '../meter/periods.ts';
import { mailOf, type Recipient } from '../organizations/organization.ts';
import { en, type Phrase, plural } from '../shared/phrases.ts';
import type { Clock, OutgoingMail } from '../shared/ports.ts';
import { isReturning, type Order, type TopUpRule } from './order.ts';
import type { SavedCard, PaymentReport } from './provider.ts';

interface Receipt {
  /** Purpose of the payment, such as `5,000 credits`, `Dev Pass` or `Upgrade to Pro Pass`. */
  readonly what: string | Phrase;
  /** Charged amount, including taxes. */
  readonly cents: number;
  /** Credits that were added. */
  readonly credits: number;
  /** Last day of these credits, as `2027-11-30`. */
  readonly creditsUntil: string;
}

/** `link`: the receipt or invoice of the payment provider, or the billing page. */
export function receiptMail(to: Addressee, { what, cents, credits, creditsUntil }: Receipt, link: string): MailContent {
  const received = en`We received your payment of ${{ amount: { usd: cents } }} for: ${{ what }}.`;
  const added = en`${{ credits: plural(credits, '# credit was', '# credits were') }} added and can be spent until ${{ until: { day: creditsUntil } }}.`;
  return emailContent({
    subject: en`Receipt for ${{ amount: { usd: cents } }}`,
    to,
    body: credits === 0 ? received : [received, added],
    action: en`View the receipt`,
    link,
    footer: en`All payments and their invoices are on the billing page of your account.`,
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
    subject: en`Your payment for ${{ plan }} failed`,
    to,
    body: en`We could not charge ${{ amount: { usd: cents } }} for the next month of ${{ plan }}. You keep the limits of the plan until ${{ until: { day: endsOn } }}, without new credits. If it is not paid by then, the plan ends.`,
    action: en`Pay or change the card`,
    link,
    footer: en`The charge will be tried again. If you pay in the meantime, there is nothing else to do.`,
  });
}

/** For a payment that requires authentication. `link`: the page to confirm it. */
export function confirmPaymentMail(
  to: Addressee,
  { what, cents }: Pick<Receipt, 'what' | 'cents'>,
  link: string,
): MailContent {
  return emailContent({
    subject: en`Confirm your payment`,
    to,
    body: en`Your bank requires you to confirm the payment of ${{ amount: { usd: cents } }} for: ${{ what }}. Nothing is charged or changed until then.`,
    action: en`Confirm the payment`,
    link,
    footer: en`If you do not recognize this payment, do not confirm it, and look at the billing page of your account.`,
  });
}

/** `link`: the billing page. */
export function cardExpiringMail(
  to: Addressee,
  { brand, last4, expMonth, expYear }: Pick<SavedCard, 'brand' | 'last4' | 'expMonth' | 'expYear'>,
  link: string,
): MailContent {
  const name = brand.slice(0, 1).toUpperCase() + brand.slice(1);
  const month = `${String(expMonth).padStart(2, '0')}/${expYear}`;
  return emailContent({
    subject: en`Your card expires soon`,
    to,
    body: en`The ${{ name }} card ending in ${{ last4 }} expires at the end of ${{ month }}. Save another one, so that your plan and automatic top-ups continue.`,
    action: en`Change the card`,
    link,
    footer: en`Your bank may update a renewed card automatically.`,
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
    subject: en`${{ plan }} ended because it was not paid`,
    to,
    body: en`The current month of ${{ plan }} was not paid, or its payment was refunded or disputed, so the plan has ended after seven days. Its remaining credits can be spent until ${{ until: { day: creditsUntil } }}. Credits that you bought keep their own date.`,
    action: en`Choose a plan`,
    link,
    footer: en`The open invoice was cancelled. You owe nothing.`,
  });
}

interface FailedTopUp {
  readonly credits: number;
  readonly cents: number;
  readonly reason: (typeof topUpFailures)[number];
  /** Whether the automatic top-up was switched off. */
  readonly isOff: boolean;
}

const topUpReasons: Readonly<Record<Exclude<FailedTopUp['reason'], 'returned'>, Phrase>> = {
  declined: en`your card was declined`,
  action_required: en`your bank requires you to confirm it`,
  no_card: en`no card is saved`,
  monthly_limit: en`it would exceed your limit for this month`,
  unavailable: en`our payment provider could not be reached`,
};

/** `link`: the page to confirm the payment if it requires authentication, otherwise the billing page. */
export function topUpFailedMail(
  to: Addressee,
  { credits, cents, reason, isOff }: FailedTopUp,
  link: string,
): MailContent {
  const next = isOff
    ? en`The automatic top-up is now off.`
    : reason === 'monthly_limit'
      ? en`It continues next month (UTC).`
      : en`It will be tried again.`;
  const problem =
    reason === 'returned'
      ? en`A payment was refunded or disputed.`
      : en`The automatic purchase of ${{ credits: plural(credits, '# credit', '# credits') }} for ${{ amount: { usd: cents } }} failed, because ${{ reason: topUpReasons[reason] }}.`;
  return emailContent({
    subject: isOff ? en`Your automatic top-up was switched off` : en`Your automatic top-up failed`,
    to,
    body: [problem, next],
    action: reason === 'action_required' ? en`Confirm the payment` : en`View billing`,
    link,
    footer: en`Calls are refused once your credits are used up. You can buy credits on the billing page at any time.`,
  });
}

interface ReturnedPayment {
  readonly what: string | Phrase;
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
    refunded: en`We refunded ${{ amount: { usd: cents } }} of your payment for ${{ what }}.`,
    disputed: en`Your bank reported a dispute over ${{ amount: { usd: cents } }} of your payment for ${{ what }}.`,
    late: en`Your payment for ${{ what }} arrived after the plan had ended, so we refunded ${{ amount: { usd: cents } }}.`,
    second: en`You already had a plan when your payment for ${{ what }} arrived, so we refunded ${{ amount: { usd: cents } }}.`,
    changed: en`Your plan had changed when your payment for ${{ what }} arrived, so we refunded ${{ amount: { usd: cents } }}.`,
  };
  const taken = en`${{ credits: plural(creditsTaken, '# credit was', '# credits were') }} taken back.`;
  return emailContent({
    subject: reason === 'disputed' ? en`A payment was disputed` : en`We refunded ${{ amount: { usd: cents } }}`,
    to,
    body: creditsTaken === 0 ? texts[reason] : [texts[reason], taken],
    action: en`View billing`,
    link,
    footer:
      reason === 'disputed'
        ? en`If you did not open this dispute, or have resolved it, contact us.`
        : en`The refund usually arrives within 5 to 10 business days.`,
  });
}

export interface NoticeParts {
  /** The person of the account, or the owners and billing members of the organization. */
  readonly recipientsOf: (accountId: number) => Promise<readonly Recipient[]>;
  /** Has no effect if an email with the id was sent before. */
  readonly send: (accountId: number, mail: OutgoingMail) => Promise<void>;
  readonly savedCard: (accountId: number) => Promise<SavedCard | undefined>;
  readonly publicOrigin: string;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Sends the emails about payments. Their failure never fails a payment. */
export function notices({ recipientsOf, send, savedCard, publicOrigin, clock, onError }: NoticeParts) {
  const billing = `${publicOrigin}/billing`;

  async function notify(
    accountId: number,
    id: string,
    content: (to: Addressee) => MailContent,
    isWanted: (account: Account) => boolean = () => true,
  ): Promise<void> {
    try {
      const recipients = (await recipientsOf(accountId)).filter(isWanted);
      for (const to of recipients)
        await send(accountId, mailOf(id, accountId, to, content(addresseeOf(to, publicOrigin))));
    } catch (error) {
      onError(error);
    }
  }

  async function orderChanged(order: Order, before: Order): Promise<void> {
    const { accountId, id } = order;
    if (order.state === 'granted' && before.state === 'paid') await granted(order);
    const returned = returnedCents(order) - returnedCents(before);
    if (returned <= 0 || order.paidAt === undefined) return;
    const creditsTaken = Math.floor(((order.taken ?? 0) - (before.taken ?? 0)) / microPerCredit);
    const reason = reasonOf(order, before);
    const facts = { what: whatOf(order), cents: returned, creditsTaken, reason } as const;
    await notify(accountId, `returned-${id}-${returnedCents(order)}`, (to) => paymentReturnedMail(to, facts, billing));
  }

  async function granted(order: Order): Promise<void> {
    const { accountId, id, credits, chargedCents = order.cents, lot } = order;
    const facts = { what: whatOf(order), cents: chargedCents, credits, creditsUntil: dayBefore(lot?.expiresAt ?? 0) };
    const link = order.receiptUrl ?? order.invoiceUrl ?? billing;
    const isWanted = (account: Account) => wantsMail(account, 'receipts');
    await notify(accountId, `receipt-${id}`, (to) => receiptMail(to, facts, link), isWanted);
    if (order.period) await warnOfCard(accountId, order.period.end);
  }

  /** Sends an email if the card expires before the next renewal, which is due at `paidUntil`. */
  async function warnOfCard(accountId: number, paidUntil: number): Promise<void> {
    const card = await savedCard(accountId).catch(onError);
    const isValid = !card || Date.UTC(card.expYear, card.expMonth, 1) / 1000 > paidUntil;
    if (isValid) return;
    const id = `card-${accountId}-${card.id}-${card.expYear}-${card.expMonth}`;
    await notify(accountId, id, (to) => cardExpiringMail(to, card, billing));
  }

  /** Emails the owner that a renewal failed or needs confirmation. */
  async function renewalFailed(accountId: number, plan: PlanLimits, report: PaymentReport): Promise<void> {
    const { invoice = '', cents, period, url } = report;
    if (!period) return;
    const facts = { plan: titleOf(plan), cents, endsOn: isoOfSeconds(period.start + pastDueSeconds).slice(0, 10) };
    await notify(accountId, `renewal-${invoice}`, (to) => paymentFailedMail(to, facts, url ?? billing));
  }

  async function topUpFailed(accountId: number, rule: TopUpRule, url: string | undefined): Promise<void> {
    const pack = findPack(rule.packId);
    const { reason = 'unavailable', at = clock.now() } = rule.lastFailure ?? {};
    const facts = { credits: pack?.credits ?? 0, cents: pack?.cents ?? 0, reason, isOff: rule.state !== 'on' };
    const id = `top-up-${accountId}-${at}`;
    await notify(accountId, id, (to) => topUpFailedMail(to, facts, url ?? billing));
  }

  async function confirmationNeeded(order: Order): Promise<void> {
    const { accountId, id, cents, url } = order;
    if (url === undefined) return;
    await notify(accountId, `confirm-${id}`, (to) => confirmPaymentMail(to, { what: whatOf(order), cents }, url));
  }

  return { orderChanged, renewalFailed, topUpFailed, confirmationNeeded };
}

function reasonOf(order: Order, before: Order): 'refunded' | 'disputed' | 'late' | 'second' | 'changed' {
  if ((order.disputedCents ?? 0) > (before.disputedCents ?? 0)) return 'disputed';
  if (order.failure === 'already_subscribed') return 'second';
  if (order.failure === 'plan_changed') return 'changed';
  return isReturning(order) ? 'late' : 'refunded';
}

const returnedCents = ({ refundedCents = 0, disputedCents = 0 }: Order): number => refundedCents + disputedCents;

/** Last day of credits that expire then. */
const dayBefore = (expiresAt: number): string => isoOfSeconds(Math.max(0, expiresAt - 1)).slice(0, 10);

function whatOf({ kind, planId, credits }: Order): string | Phrase {
  const plan = planId === undefined ? undefined : findPlan(planId);
  if (!plan) return en`${{ credits: plural(credits, '# credits', '# credits') }}`;
  return kind === 'upgrade' ? en`Upgrade to ${{ plan: titleOf(plan) }}` : titleOf(plan);
}
