import { type PlanLimits, type Plans, titleOf } from '#contract/billing/plans.ts';
import { cents } from '#contract/payments/payments.ts';
import { nextPlan } from '../billing/grants.ts';
import { isMonthRunning } from '../billing/subscription-changes.ts';
import { isSubscribed, type Meter } from '../meter/meter.ts';
import type { Metering } from '../meter/metering.ts';
import { planOfMeter } from '../meter/plan-terms.ts';
import type { Clock } from '../shared/ports.ts';
import { undefinedIfNotFound } from '../shared/service-error.ts';
import type { OrderStore } from './order.ts';
import { changeProfile } from './profile.ts';
import type { PaymentProvider } from './provider.ts';

/** Milliseconds until the sweep aligns an account again whose alignment failed. */
const retryMs = 5 * 60_000;

/** Milliseconds from the end of the paid time to the check of the renewal, and between later checks. */
const renewedMs = 2 * 3_600_000;
const unpaidMs = 6 * 3_600_000;

/** Milliseconds after which the payment of a new subscription is certainly settled. */
const settledMs = 3_600_000;

export interface CollectionParts {
  readonly store: OrderStore;
  readonly provider: PaymentProvider;
  readonly metering: Metering;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly onError: (error: unknown, accountId: number) => void;
}

/** The charges that the provider must make for a meter. */
interface Collected {
  /** The plan of the current month. */
  readonly current: PlanLimits;
  /** The plan of the next month. */
  readonly plan: PlanLimits;
  readonly endsWithPeriod: boolean;
  /** Epoch seconds. */
  readonly paidUntil: number;
  readonly anchor: number;
  readonly isUnpaid: boolean;
}

/**
 * Aligns the provider's subscription with the meter's plan (docs/payments.md#paid-months). The provider
 * only charges each month.
 */
export function collection({ store, provider, metering, plans, clock, onError }: CollectionParts) {
  /** Marks the account before a change, so that the sweep completes it if the process ends. */
  async function mark(accountId: number): Promise<void> {
    await changeProfile(store, accountId, ({ customer }) =>
      customer === undefined ? undefined : { alignAt: clock.now() + retryMs },
    );
  }

  async function align(accountId: number): Promise<void> {
    const profile = await store.profile(accountId);
    const { customer, subscription } = profile;
    if (customer === undefined) return;
    const meter = await metering.current(accountId, clock.now()).catch(undefinedIfNotFound);
    const wanted = meter && collected(meter, Math.floor(clock.now() / 1000), plans);
    const actual = subscription === undefined ? undefined : await provider.plan(subscription);
    const isRunning = actual !== undefined && !actual.isEnded;
    await stopOthers(customer, subscription);
    let started: string | undefined;
    if (!wanted) {
      if (isRunning) await provider.stop(actual.id);
    } else if (isRunning) {
      const price = cents(wanted.plan.price ?? 0);
      const due = cents(wanted.current.price ?? 0);
      if (price > 0 && actual.cents !== price) await provider.setPrice(actual.id, price, titleOf(wanted.plan));
      // The month began before the provider knew of the change.
      if (wanted.isUnpaid && actual.draft && actual.draft.cents !== due)
        await provider.changeDraft(actual, due, titleOf(wanted.current));
      if (actual.endsWithPeriod !== wanted.endsWithPeriod)
        await provider.endWithPeriod(actual.id, wanted.endsWithPeriod);
    } else if (!wanted.endsWithPeriod && !wanted.isUnpaid) {
      const card = await provider.savedCard(customer);
      const { plan, anchor, paidUntil } = wanted;
      const start = { accountId, anchor, cents: cents(plan.price ?? 0) };
      // Stripe replays the response to a key for a day, even if that subscription has ended.
      const key = `collect-${accountId}-${paidUntil}-${subscription ?? 'first'}`;
      if (card) started = await provider.collectFrom(start, { customer, card }, titleOf(plan), key);
    }
    const alignAt = wanted && nextCheck(wanted, clock.now());
    // A later change of the meter has marked the account again, for the next alignment.
    if (alignAt === profile.alignAt && started === undefined) return;
    await changeProfile(store, accountId, (current) => ({
      ...(current.alignAt === profile.alignAt && { alignAt }),
      ...(started !== undefined && current.subscription === subscription && { subscription: started }),
    }));
  }

  /** Ends subscriptions that no plan belongs to. A new one may belong to a payment that is being settled. */
  async function stopOthers(customer: string, kept: string | undefined): Promise<void> {
    for (const { id, createdAt } of await provider.runningPlans(customer))
      if (id !== kept && clock.now() - createdAt > settledMs) await provider.stop(id);
  }

  /** Ends all charges of an account before its deletion. */
  async function stopAll(accountId: number): Promise<void> {
    const { customer } = await store.profile(accountId);
    if (customer === undefined) return;
    await provider.expireCheckouts(customer);
    for (const { id } of await provider.runningPlans(customer)) await provider.stop(id);
  }

  /** Aligns now. After a failure, the sweep retries the marked account. */
  async function alignSoon(accountId: number): Promise<void> {
    try {
      await align(accountId);
    } catch (error) {
      onError(error, accountId);
      await mark(accountId);
    }
  }

  return { mark, align, alignSoon, stopAll };
}

/** Detects lost events of a renewal, and the end of a week past due. */
const nextCheck = ({ paidUntil, isUnpaid }: Collected, now: number): number =>
  isUnpaid ? now + unpaidMs : paidUntil * 1000 + renewedMs;

function collected(meter: Meter, now: number, plans: Plans): Collected | undefined {
  const { subscription, closed } = meter;
  if (closed === 'deleted' || subscription?.paidUntil === undefined) return undefined;
  if (!isMonthRunning(meter, now)) return undefined;
  const { paidUntil, unpaidSince } = subscription;
  const plan = nextPlan(meter, subscription, plans);
  const isFree = !plan.price;
  const { anchor } = meter.period;
  return {
    current: planOfMeter(meter, plans),
    plan,
    paidUntil,
    anchor,
    endsWithPeriod: !isSubscribed(meter) || isFree,
    isUnpaid: unpaidSince !== undefined,
  };
}
