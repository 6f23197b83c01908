import { type PlanLimits, type Plans, titleOf } from '#contract/billing/plans.ts';
import { cents } from '#contract/payments/payments.ts';
import { addMonths, hourMs, minuteMs, monthsSince } from '#contract/shared/time.ts';
import { nextPlan } from '../billing/grants.ts';
import { cancel, isMonthRunning } from '../billing/subscription-changes.ts';
import { isSubscribed, type Meter } from '../meter/meter.ts';
import type { Metering } from '../meter/metering.ts';
import { periodStart, planOfMeter } from '../meter/periods.ts';
import type { Clock } from '../shared/ports.ts';
import { accountBusy, undefinedIfNotFound } from '../shared/service-error.ts';
import { type BillingProfile, type OrderStore, changeProfile, withEnded } from './order.ts';
import type { CollectedPlan, PaymentProvider } from './provider.ts';

/** Milliseconds until the sweep repeats an alignment that failed or made a change. */
const retryMs = 5 * minuteMs;

/** Milliseconds from the end of the paid time to the check of the renewal, and between later checks. */
const renewedMs = 2 * hourMs;
const unpaidMs = 6 * hourMs;

/** Milliseconds between attempts to start the subscription of a plan that was resumed without a saved card. */
const noCardMs = 6 * hourMs;

/** Milliseconds after which the payment of a new subscription is certainly settled. */
const settledMs = hourMs;

/**
 * The provider drafts a renewal when the paid time ends, and finalizes the draft an hour later. A price change less
 * than an hour before the draft may miss it. The draft is then corrected some minutes later.
 */
const draftMs = hourMs;
const draftedMs = 10 * minuteMs;

/** Maximum consecutive comparisons while the meter keeps changing. */
const maxTries = 4;

export interface CollectionParts {
  readonly store: OrderStore;
  readonly provider: PaymentProvider;
  readonly metering: Metering;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly onError: (error: unknown, accountId: number) => void;
}

interface Collection {
  readonly accountId: number;
  readonly customer: string;
  /** The subscription that has ended, if any. */
  readonly subscription: string | undefined;
}

/** `checkAt`: when to compare again, in epoch ms. */
interface Aligned {
  readonly isChanged: boolean;
  readonly started?: string;
  readonly checkAt?: number;
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

  /**
   * This comparison may have overwritten the result of a concurrent one with a newer meter, so it is repeated if the
   * meter has changed since.
   */
  async function align(accountId: number, tries = maxTries): Promise<void> {
    const now = clock.now();
    const profile = await store.profile(accountId);
    const { customer, subscription } = profile;
    if (customer === undefined) return;
    const meter = await metering.current(accountId, clock.now()).catch(undefinedIfNotFound);
    const wanted = meter && collected(meter, Math.floor(clock.now() / 1000), plans);
    const actual = subscription === undefined ? undefined : await provider.plan(subscription);
    if (actual?.isEnded && !profile.ended?.includes(actual.id)) {
      await noteEnd(profile, actual, meter);
      if (tries === 1) throw accountBusy();
      return align(accountId, tries - 1);
    }
    const isRunning = actual !== undefined && !actual.isEnded;
    // A concurrent settlement may have recorded the subscription's end without stopping it.
    const isStopped = isRunning && profile.ended?.includes(actual.id);
    const isOther = isRunning && wanted !== undefined && (isStopped || !isMonthEnd(wanted.anchor, actual.period.end));
    // An assigned plan has different months, and the previous plan's subscription may still be running.
    if (isOther) await end(accountId, actual);
    const nextStop = await stopOthers(profile, customer);
    const { started, isChanged, checkAt } = !wanted
      ? await end(accountId, actual)
      : isRunning && !isOther
        ? await adjust(actual, wanted)
        : await startAgain({ accountId, customer, subscription }, wanted);
    // A concurrent request may overwrite this change, and its process may end before its own comparison.
    const changedAt = isChanged ? clock.now() + retryMs : undefined;
    // A mark in the future may belong to a change that the meter did not contain yet.
    const marked = (profile.alignAt ?? 0) > now ? profile.alignAt : undefined;
    const checks = [marked, nextStop, checkAt, changedAt].filter((at) => at !== undefined);
    const alignAt = checks.length > 0 ? Math.min(...checks) : undefined;
    // A later change of the meter has marked the account again, for the next alignment.
    if (alignAt !== profile.alignAt || started !== undefined)
      await changeProfile(store, accountId, (current) => ({
        ...(current.alignAt === profile.alignAt && { alignAt }),
        ...(started !== undefined && current.subscription === subscription && { subscription: started }),
      }));
    if (!isChanged || tries === 1) return;
    const after = await metering.current(accountId, clock.now()).catch(undefinedIfNotFound);
    // The deletion of the account does not raise `seq`.
    if (after?.seq !== meter?.seq || after?.closed !== meter?.closed) await align(accountId, tries - 1);
  }

  /**
   * Records that the provider's subscription has ended, by itself or in the Dashboard. The first record cancels the
   * plan whose current month the subscription charges.
   */
  async function noteEnd(profile: BillingProfile, { id, period }: CollectedPlan, meter: Meter | undefined) {
    const isCharged = meter?.subscription?.paidUntil !== undefined;
    const isUnpaid = meter?.subscription?.unpaidSince !== undefined;
    const isItsPlan = meter && isSubscribed(meter) && isCharged && (isUnpaid || period.end > periodStart(meter.period));
    if (!isItsPlan || meter.closed === 'deleted') {
      await store.saveProfile(profile, withEnded(profile, id));
      return;
    }
    const { meter: after, entries } = cancel(meter, Math.floor(clock.now() / 1000), plans);
    await store.saveProfileWithMeter(profile, withEnded(profile, id), { before: meter, after, entries });
  }

  async function stop(accountId: number, id: string): Promise<void> {
    await changeProfile(store, accountId, (profile) => withEnded(profile, id));
    await provider.stop(id);
  }

  /**
   * Also stops an ended subscription, because its open invoices could still be paid. Its end does not affect later
   * plans.
   */
  async function end(accountId: number, actual: CollectedPlan | undefined): Promise<Aligned> {
    if (actual?.isEnded === false) await stop(accountId, actual.id);
    else if (actual) await provider.stop(actual.id);
    return { isChanged: actual?.isEnded === false };
  }

  async function adjust(actual: CollectedPlan, wanted: Collected): Promise<Aligned> {
    const [price, due] = [cents(wanted.plan.price ?? 0), cents(wanted.current.price ?? 0)];
    const isRepriced = price > 0 && actual.cents !== price;
    const isMoved = actual.endsWithPeriod !== wanted.endsWithPeriod;
    if (isRepriced) await provider.setPrice(actual.id, price, titleOf(wanted.plan));
    // The month began before the provider knew of the change.
    if (wanted.isUnpaid && actual.draft && actual.draft.cents !== due)
      await provider.changeDraft(actual, due, titleOf(wanted.current));
    if (isMoved) await provider.endWithPeriod(actual.id, wanted.endsWithPeriod);
    return { isChanged: isRepriced || isMoved, checkAt: nextCheck(wanted, clock.now()) };
  }

  async function startAgain({ accountId, customer, subscription }: Collection, wanted: Collected): Promise<Aligned> {
    const { plan, anchor, paidUntil, endsWithPeriod, isUnpaid } = wanted;
    const checkAt = nextCheck(wanted, clock.now());
    if (endsWithPeriod || isUnpaid) return { isChanged: false, checkAt };
    const card = await provider.savedCard(customer);
    if (!card) return { isChanged: false, checkAt: Math.min(checkAt, clock.now() + noCardMs) };
    const start = { accountId, anchor, cents: cents(plan.price ?? 0) };
    // Stripe replays the response to an idempotency key for a day, even if the subscription has ended since: because
    // someone ended it, or because the response was lost and the subscription was stopped after an hour.
    const attempt = [accountId, paidUntil, subscription, card.id, Math.floor(clock.now() / settledMs)];
    const key = `collect-${attempt.join('-')}`;
    const started = await provider.collectFrom(start, { customer, card }, titleOf(plan), key);
    // The month has ended in the meantime, so the subscription would not charge the next one. Its end cancels the plan.
    const missed = await provider.plan(started);
    if (missed && missed.period.end > paidUntil) await provider.stop(started);
    return { started, isChanged: true, checkAt };
  }

  /**
   * Ends subscriptions without a plan. A new one may belong to a payment that is still being settled: returns when to
   * check it again, in epoch ms.
   */
  async function stopOthers(
    { accountId, subscription }: BillingProfile,
    customer: string,
  ): Promise<number | undefined> {
    let nextStop: number | undefined;
    for (const { id, createdAt } of await provider.runningPlans(customer)) {
      if (id === subscription) continue;
      const stopAt = createdAt + settledMs;
      if (stopAt < clock.now()) await stop(accountId, id);
      else nextStop = Math.min(nextStop ?? stopAt, stopAt);
    }
    return nextStop;
  }

  /**
   * Ends all charges of an account before its deletion. A concurrent change of the plan may start another subscription
   * until the meter is closed, so the account is aligned after its deletion, by the sweep if the process ends.
   */
  async function stopAll(accountId: number): Promise<void> {
    const { customer, subscription } = await store.profile(accountId);
    if (customer === undefined) return;
    await mark(accountId);
    await provider.expireCheckouts(customer);
    const running = await provider.runningPlans(customer);
    const ids = new Set(running.map(({ id }) => id));
    // An ended subscription may still have an open invoice.
    if (subscription !== undefined) ids.add(subscription);
    for (const id of ids) await provider.stop(id);
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

  return { mark, align: (accountId: number) => align(accountId), alignSoon, stopAll };
}

/** Detects lost events of a renewal, and the end of a week past due. */
function nextCheck({ paidUntil, isUnpaid }: Collected, now: number): number {
  const end = paidUntil * 1000;
  const isNearEnd = end - now < draftMs && now < end + draftedMs;
  if (isNearEnd) return end + draftedMs;
  return isUnpaid ? now + unpaidMs : end + renewedMs;
}

const isMonthEnd = (anchor: number, at: number): boolean => addMonths(anchor, monthsSince(anchor, at)) === at;

function collected(meter: Meter, now: number, plans: Plans): Collected | undefined {
  const { subscription, closed } = meter;
  if (closed === 'deleted' || subscription?.paidUntil === undefined) return undefined;
  if (!isMonthRunning(meter, now)) return undefined;
  const { paidUntil, unpaidSince } = subscription;
  const isSuspended = closed === 'suspended';
  // The open invoice of a suspended account could still be charged.
  if (isSuspended && unpaidSince !== undefined) return undefined;
  const plan = nextPlan(meter, subscription, plans);
  const isFree = !plan.price;
  const { anchor } = meter.period;
  return {
    current: planOfMeter(meter, plans),
    plan,
    paidUntil,
    anchor,
    endsWithPeriod: isSuspended || !isSubscribed(meter) || isFree,
    isUnpaid: unpaidSince !== undefined,
  };
}
