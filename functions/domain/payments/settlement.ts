import { findPlan, isSameTerms, type Plans } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { currency, packMonths } from '#contract/payments/payments.ts';
import { payPeriod, refusalOf } from '../billing/paid-periods.ts';
import { isMonthRunning, startSubscription, upgrade, withoutCancellation } from '../billing/subscription-changes.ts';
import { addLot } from '../meter/lots.ts';
import { isSubscribed, type Meter, type Settled } from '../meter/meter.ts';
import type { Metering } from '../meter/metering.ts';
import { counted, periodEnd, planOfMeter } from '../meter/periods.ts';
import type { Clock } from '../shared/ports.ts';
import { isNotFound, ServiceError } from '../shared/service-error.ts';
import {
  asSold,
  type BeforeUpgrade,
  confirmationMs,
  fraudWarning,
  isOpen,
  isReturning,
  isSameMonthTerms,
  isWaiting,
  lostMs,
  type MonthTerms,
  monthTerms,
  type Order,
  type OrderRef,
  type OrderStore,
  paidDiffers,
  type ProviderIds,
  type ReturnReason,
  changeProfile,
  withEnded,
} from './order.ts';
import type { PaymentProvider, PaymentReport } from './provider.ts';
import { reversals } from './reversals.ts';

/** Writes of the same order by an event, the buyer's return and the sweep can conflict. */
const maxTries = 8;

/** A payment that can be neither granted nor refunded, for the alarm. */
export type Mismatch = 'differs' | 'gap' | 'refund_failed';

export interface SettlementParts {
  readonly store: OrderStore;
  readonly provider: PaymentProvider;
  readonly metering: Metering;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Called after every change of an order. Must not throw. */
  readonly onChange: (order: Order, before: Order) => Promise<void>;
  readonly onMismatch: (order: Order, mismatch: Mismatch) => void;
  /** Called before a change of the meter that `align` follows, so that the sweep aligns it if the process ends. */
  readonly mark: (accountId: number) => Promise<void>;
  /** Makes the provider's subscription equal to the meter's plan. */
  readonly align: (accountId: number) => Promise<void>;
  /** Called before credits are taken back, which could start a purchase. */
  readonly stopTopUp: (accountId: number) => Promise<void>;
}

export type Settlement = ReturnType<typeof settlement>;

/**
 * Updates an order from its payment, and grants a paid order (docs/payments.md#orders). Idempotent: events, the buyer's
 * return, the sweep and the reconciliation call it in any order.
 */
export function settlement(parts: SettlementParts) {
  const { store, provider, metering, plans, clock, newId, onChange, onMismatch, mark, align } = parts;
  const reverse = reversals(parts);

  /** `found`: ids in an event, for an order whose request received no response. */
  async function settle(ref: OrderRef, found: ProviderIds = {}): Promise<Order> {
    for (let tries = 0; tries < maxTries; tries++) {
      const order = await store.find(ref);
      if (!order) throw new ServiceError('NOT_FOUND', 'There is no such payment.');
      const { customer } = await store.profile(order.accountId);
      const known = { ...order, provider: { ...found, ...order.provider } };
      const report = customer === undefined ? undefined : await provider.report(known, customer);
      const settled = report ? await applied(order, report) : await unknown(order);
      if (settled !== 'changed') return settled;
    }
    throw new ServiceError('SERVICE_UNAVAILABLE', 'The payment is being processed. Try again.', {
      retryAfterSeconds: 1,
    });
  }

  async function unknown(order: Order): Promise<Order | 'changed'> {
    if (!isOpen(order) || clock.now() - order.createdAt < lostMs) return order;
    return (await saved(order, { state: 'failed', failure: 'not_created' })) ?? 'changed';
  }

  async function applied(before: Order, report: PaymentReport): Promise<Order | 'changed'> {
    const isPaid = report.state === 'paid';
    if (isUnfinished(before, report)) {
      await provider.cancelCharge(report.invoice);
      return (await saved(before, { state: 'failed', failure: 'not_created' })) ?? 'changed';
    }
    if (!(await isSame(before, report))) {
      const failure = isPaid ? paidDiffers : 'differs';
      const { state } = report;
      if (isOpen(before) && (state === 'failed' || state === 'expired'))
        return (await saved(before, { state, failure })) ?? 'changed';
      if (before.failure === failure) return before;
      // Reports before the write, whose response may be lost. The reconciliation reports it too.
      if (isPaid) onMismatch(before, 'differs');
      return (await saved(before, { failure })) ?? 'changed';
    }
    let order = before;
    if (isPaid ? before.paidAt === undefined : isOpen(before) && isNews(before, report)) {
      const noted = await saved(before, { ...factsOf(before, report), ...stateOf(before, report) });
      if (!noted) return 'changed';
      order = noted;
    }
    const { invoice } = order.provider;
    if (order.state === 'action_required' && invoice !== undefined && clock.now() - order.createdAt >= confirmationMs) {
      await provider.cancelCharge(invoice);
      return (await saved(order, { state: 'failed' })) ?? 'changed';
    }
    if (isPaid && isReturning(order)) return refundUngranted(order, report, order.failure);
    if (isPaid && order.state === 'paid') {
      const granted = await grant(order, report);
      // The report predates a refund that replaced the grant.
      if (granted === 'changed' || isReturning(granted)) return granted;
      order = granted;
    }
    return isPaid && order.paidAt !== undefined ? reverse(order, report) : order;
  }

  /** A charge of the saved card whose request ended after it had created the invoice and before it paid it. */
  function isUnfinished(order: Order, report: PaymentReport): report is PaymentReport & { readonly invoice: string } {
    const isCharge = order.kind !== 'renewal' && report.session === undefined && report.invoice !== undefined;
    const isOld = clock.now() - order.createdAt >= lostMs;
    return isCharge && isOld && order.state === 'created' && report.state === 'open';
  }

  /** Returns whether customer, mode, currency and amount match the order. The customer may have been replaced since. */
  async function isSame(order: Order, report: PaymentReport): Promise<boolean> {
    return (
      (await store.accountOf(report.customer)) === order.accountId &&
      report.isLive === (await provider.isLive()) &&
      report.currency === currency &&
      report.cents === order.cents
    );
  }

  async function saved(before: Order, change: Partial<Order>): Promise<Order | undefined> {
    const after = await store.save(before, change);
    if (after) await onChange(after, before);
    return after;
  }

  async function grant(order: Order, report: PaymentReport): Promise<Order | 'changed'> {
    const now = Math.floor(clock.now() / 1000);
    if (order.kind === 'plan' && !(await hasPlan(order.accountId, now)))
      await adopt(order.accountId, report.subscription);
    if (order.kind === 'renewal' && (await isForeign(order))) return refundUngranted(order, report, 'plan_ended');
    const changesPlan = order.kind !== 'pack' && order.kind !== 'top_up';
    if (changesPlan) await mark(order.accountId);
    let isChanged = false;
    let change: Partial<Order> = {};
    const apply = (meter: Meter): Settled => {
      const granted = grantOf(meter, order, now);
      ({ change } = granted);
      return granted.settled;
    };
    try {
      await metering.change(order.accountId, clock.now(), apply, async (before, after, entries) => {
        const outcome = await store.saveWithMeter(order, { state: 'granted', ...change }, { before, after, entries });
        if (outcome === 'order changed') isChanged = true;
        return outcome !== 'meter changed';
      });
    } catch (error) {
      const reason = error instanceof Ungrantable ? error.reason : isNotFound(error) ? 'account_deleted' : undefined;
      if (reason === undefined) throw error;
      if (reason === 'gap') {
        if (isWaiting(order)) return order;
        const waiting = await saved(order, { failure: 'gap' });
        if (waiting) onMismatch(waiting, 'gap');
        return waiting ?? 'changed';
      }
      return refundUngranted(order, report, reason);
    }
    if (isChanged) return 'changed';
    const after = await store.find(order);
    if (!after) throw new Error(`the order ${order.id} disappeared`);
    await onChange(after, order);
    if (changesPlan) await align(order.accountId);
    return after;
  }

  /** Returns the meter after the grant of an order, or throws `Ungrantable`. */
  function grantOf(meter: Meter, order: Order, now: number): { settled: Settled; change: Partial<Order> } {
    if (meter.closed === 'deleted') throw new Ungrantable('account_deleted');
    const { period } = order;
    const named = (settled: Settled): Settled => ({
      ...settled,
      entries: settled.entries.map((entry) => (entry.change || entry.source ? { ...entry, payment: order.id } : entry)),
    });
    if (order.kind === 'pack' || order.kind === 'top_up') {
      const expiresAt = packExpiry(now);
      const lot = { source: 'purchase', granted: order.credits * microPerCredit, expiresAt } as const;
      const settled = counted(meter, named(addLot(meter, lot, now)), now);
      return { settled, change: lotOf(settled, 'purchase', expiresAt) };
    }
    if (order.kind === 'renewal') {
      if (!period) throw new Error(`the renewal ${order.id} has no period`);
      const refused = refusalOf(meter, period);
      if (refused) throw new Ungrantable(refused === 'gap' ? refused : `plan_${refused}`);
      const settled = payPeriod(meter, period, order.id, now, plans);
      return { settled, change: lotOf(settled, 'plan') };
    }
    const plan = findPlan(order.planId ?? '');
    if (!plan) throw new Ungrantable('plan_ended');
    const chosenFor = (sold: MonthTerms | undefined) => {
      return { planId: plan.name, plan: asSold(plans(plan.rank), sold) };
    };
    if (order.kind === 'plan') {
      if (isRunning(meter, now) || !period) throw new Ungrantable('already_subscribed');
      const chosen = chosenFor(order);
      const settled = named(startSubscription(meter, chosen, newId(), now, plans, period));
      return { settled, change: lotOf(settled, 'plan') };
    }
    const { upgrade: offered } = order;
    const chosen = chosenFor(offered?.month);
    const isDone = meter.planRank === plan.rank && isSameTerms(planOfMeter(meter, plans), chosen.plan);
    if (!offered || isDone || !isSameMonth(meter, offered, now, plans)) throw new Ungrantable('plan_changed');
    const running = offered.resumes ? withoutCancellation(meter) : meter;
    const paidUntil = running.subscription?.paidUntil ?? periodEnd(running.period);
    const paid = running.subscription ? { ...running, subscription: { ...running.subscription, paidUntil } } : running;
    const proration = { amount: order.cents / 100, credits: offered.credits, from: now, to: periodEnd(meter.period) };
    const settled = named(upgrade(paid, chosen, proration, now));
    return { settled, change: { ...lotOf(settled, 'plan'), upgrade: { ...offered, before: beforeUpgrade(meter) } } };
  }

  async function hasPlan(accountId: number, now: number): Promise<boolean> {
    const meter = await metering.find(accountId);
    return !meter || isRunning(meter, now);
  }

  /** Returns whether a renewal belongs to a subscription other than the account's. */
  async function isForeign({ accountId, provider: { subscription } }: Order): Promise<boolean> {
    return (await store.profile(accountId)).subscription !== subscription;
  }

  /**
   * Stores the provider's subscription of a paid plan. An account has only one, so an earlier one is then cancelled, by
   * the next alignment if the process ends first. A plan of the earlier one may be granted concurrently, and the
   * cancellation must not cancel that plan.
   */
  async function adopt(accountId: number, subscription: string | undefined): Promise<void> {
    if (subscription === undefined) return;
    const { subscription: replaced } = await store.profile(accountId);
    // Later alignments find only running subscriptions, so the invoices of an ended one are voided first.
    if (replaced !== undefined && replaced !== subscription && (await provider.plan(replaced))?.isEnded)
      await provider.stop(replaced);
    let earlier: string | undefined;
    await changeProfile(store, accountId, (profile) => {
      earlier = undefined;
      if (profile.subscription === subscription) return undefined;
      earlier = profile.subscription;
      return { subscription, ...(earlier !== undefined && withEnded(profile, earlier)) };
    });
    if (earlier !== undefined) await provider.stop(earlier);
  }

  /** Ends the subscription of a plan that was not granted, which a concurrent settlement may have adopted. */
  async function abandon(accountId: number, ended: string): Promise<void> {
    await changeProfile(store, accountId, (profile) => ({
      ...withEnded(profile, ended),
      ...(profile.subscription === ended && { subscription: undefined }),
    }));
    await provider.stop(ended);
  }

  /**
   * Refunds an order that cannot be granted, and cancels a subscription that it created. The reason is saved first, so
   * that no concurrent settlement grants it. A disputed amount, which the bank has withdrawn, is not refunded too.
   */
  async function refundUngranted(
    before: Order,
    report: PaymentReport,
    failure: ReturnReason,
  ): Promise<Order | 'changed'> {
    const order = before.failure === failure ? before : await saved(before, { failure });
    if (!order) return 'changed';
    const payment = report.payment ?? order.provider.payment;
    const charged = report.chargedCents ?? order.cents;
    const disputedCents = report.disputedCents ?? 0;
    const rest = charged - (report.refundedCents ?? 0) - disputedCents;
    if (order.state === 'refunded') {
      if (payment !== undefined && rest > 0) onMismatch(order, 'refund_failed');
      return order;
    }
    if (order.kind === 'plan' && report.subscription !== undefined) await abandon(order.accountId, report.subscription);
    if (payment !== undefined && rest > 0 && !(await provider.refund(payment, rest, `${order.id}-return-${rest}`))) {
      onMismatch(order, 'refund_failed');
      return (await saved(order, { refundRejectedAt: clock.now() })) ?? 'changed';
    }
    // An amount below the provider's minimum was not charged, but would be added to the next invoice.
    const fromBalance = payment === undefined ? charged : (report.balanceCents ?? 0);
    if (fromBalance > 0) await provider.creditBalance(report.customer, fromBalance, `${order.id}-return-carried`);
    if (order.kind !== 'pack' && order.kind !== 'top_up') await align(order.accountId);
    const state = disputedCents > 0 ? 'disputed' : 'refunded';
    if (order.state === state && order.disputedCents === disputedCents) return order;
    return (await saved(order, { state, refundedCents: charged - disputedCents, disputedCents })) ?? 'changed';
  }

  /** Refunds a payment with an early fraud warning, before it is disputed. */
  async function returnFraud(ref: OrderRef): Promise<void> {
    const order = await store.find(ref);
    if (order?.paidAt === undefined) return;
    // The payment is being refunded anyway, and the stored reason says that nothing was granted.
    if (isReturning(order)) return void (await settle(ref));
    if (order.failure !== fraudWarning && !(await saved(order, { failure: fraudWarning }))) return returnFraud(ref);
    const { payment } = order.provider;
    const rest = (order.chargedCents ?? order.cents) - (order.refundedCents ?? 0);
    if (payment !== undefined && rest > 0) await provider.refund(payment, rest, `${order.id}-fraud-${rest}`);
    await settle(ref);
  }

  return { settle, returnFraud };
}

class Ungrantable extends Error {
  readonly reason: ReturnReason | 'gap';

  constructor(reason: ReturnReason | 'gap') {
    super(`a payment cannot be granted: ${reason}`);
    this.reason = reason;
  }
}

/** The end of the UTC month, so that an account has at most 13 purchased lots and none is merged into a later one. */
export function packExpiry(now: number): number {
  const date = new Date(now * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + packMonths + 1, 1) / 1000;
}

/** The lot that a payment granted. For a plan, its latest lot. */
function lotOf({ meter, entries }: Settled, source: 'plan' | 'purchase', expiresAt?: number): Partial<Order> {
  const isGranted = entries.some(({ type }) => type === 'grant');
  const lot = meter.lots.findLast((one) => one.source === source && (expiresAt ?? one.expiresAt) === one.expiresAt);
  return isGranted && lot ? { lot: { id: lot.id, expiresAt: lot.expiresAt } } : {};
}

function beforeUpgrade({ subscription, seq }: Meter): BeforeUpgrade {
  const { status, paidUntil, pending, cancellation } = subscription ?? {};
  return {
    seq,
    isCancelled: status === 'cancelled',
    ...(cancellation && { cancellation: cancellation.seq }),
    isPaid: paidUntil !== undefined,
    ...(pending && { pending }),
  };
}

/** Includes the running month of a cancelled plan, which can be resumed. */
const isRunning = (meter: Meter, now: number): boolean => isSubscribed(meter) || isMonthRunning(meter, now);

/** Whether the plan and its terms are still those from which the upgrade was prorated. */
function isSameMonth(meter: Meter, offered: NonNullable<Order['upgrade']>, now: number, plans: Plans): boolean {
  const { anchor, index } = meter.period;
  const terms = monthTerms(planOfMeter(meter, plans));
  const isSamePlan = meter.planRank === offered.fromRank && isSameMonthTerms(offered.from ?? terms, terms);
  const runs = offered.resumes ? isMonthRunning(meter, now) : isSubscribed(meter);
  const isUnpaid = meter.subscription?.unpaidSince !== undefined;
  return runs && !isUnpaid && anchor === offered.anchor && index === offered.index && isSamePlan;
}

/** Avoids a write if a poll reports no change. */
const isNews = ({ provider, url: known }: Order, { state, session, invoice, url }: PaymentReport): boolean =>
  state !== 'open' ||
  provider.session !== session ||
  (provider.invoice === undefined && invoice !== undefined) ||
  (url !== undefined && url !== known);

function factsOf(order: Order, report: PaymentReport): Partial<Order> {
  const { session, invoice, subscription, payment } = { ...order.provider, ...report };
  const { url, receiptUrl, invoiceUrl, chargedCents, balanceCents, period } = report;
  return {
    provider: {
      ...(session !== undefined && { session }),
      ...(invoice !== undefined && { invoice }),
      ...(subscription !== undefined && { subscription }),
      ...(payment !== undefined && { payment }),
    },
    ...(url !== undefined && { url }),
    ...(receiptUrl !== undefined && { receiptUrl }),
    ...(invoiceUrl !== undefined && { invoiceUrl }),
    ...(chargedCents !== undefined && { chargedCents }),
    ...(balanceCents !== undefined && { balanceCents }),
    ...(period && (order.kind === 'plan' || order.kind === 'renewal') && { period }),
  };
}

function stateOf(order: Order, { state, paidAt }: PaymentReport): Partial<Order> {
  if (state === 'paid') return { state, paidAt: paidAt ?? order.createdAt };
  if (state === 'open') return {};
  return { state, ...(state === 'failed' && { failure: 'declined' }) };
}
