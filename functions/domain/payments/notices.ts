import { findPlan, type PlanLimits, titleOf } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { findPack } from '#contract/payments/payments.ts';
import { isoOfSeconds } from '#contract/shared/time.ts';
import type { Account, OutgoingMail } from '../accounts/account.ts';
import type { Addressee, MailContent } from '../accounts/mail-layout.ts';
import { addresseeOf, wantsMail } from '../accounts/mail-preferences.ts';
import { pastDueSeconds } from '../meter/periods.ts';
import { mailOf, type Recipient } from '../organizations/organization.ts';
import { en, type Phrase, plural } from '../shared/phrases.ts';
import type { Clock } from '../shared/ports.ts';
import {
  cardExpiringMail,
  confirmPaymentMail,
  paymentFailedMail,
  paymentReturnedMail,
  receiptMail,
  topUpFailedMail,
} from './mails.ts';
import { isReturning, type Order, type TopUpRule } from './order.ts';
import type { PaymentReport, SavedCard } from './provider.ts';

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
