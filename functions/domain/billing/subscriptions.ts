import { findPlan, isSameTerms, type PlanLimits, type Plans } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { isoOfSeconds } from '#contract/shared/time.ts';
import {
  type MeterStore,
  isSubscribed,
  type Meter,
  type Settled,
  type Subscription,
  usedCredits,
} from '../meter/meter.ts';
import type { Metering } from '../meter/metering.ts';
import { isReturned, pastDueSeconds, periodEnd, planOfMeter } from '../meter/periods.ts';
import { newRequestId } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { accountBusy, ServiceError } from '../shared/service-error.ts';
import { described } from './grants.ts';
import {
  alreadySubscribed,
  cancel,
  type ChosenPlan,
  downgrade,
  isMonthRunning,
  prorate,
  type Proration,
  resume,
  startSubscription,
  subscribe,
  upgrade,
  withoutCancellation,
} from './subscription-changes.ts';

interface SubscriptionParts {
  readonly payments: () => Promise<PlanPayments | undefined>;
  readonly enforceChangeLimit: (accountId: number) => Promise<void>;
}

export type SubscriptionService = ReturnType<typeof subscriptionService>;

/** Manages subscriptions (docs/specification.md#states-and-transitions, docs/credits.md#subscriptions). */
export function subscriptionService(
  metering: Metering,
  { payments, enforceChangeLimit }: SubscriptionParts,
  plans: Plans,
  clock: Clock,
  random: Random,
) {
  /** Continues a cancelled subscription whose month is still running instead of starting a new one. */
  async function create(accountId: number, planId: string) {
    const chosen = chosenPlan(planId, plans);
    refuseUnsold(chosen.plan);
    const now = clock.now();
    const seconds = Math.floor(now / 1000);
    const before = await metering.current(accountId, now);
    if (isSubscribed(before)) throw alreadySubscribed();
    const isRunning = isMonthRunning(before, seconds);
    const isUpgrade = isRunning && chosen.plan.rank > before.planRank;
    const collected = chosen.plan.price ? await payments() : undefined;
    if (collected && (isUpgrade || !isRunning)) {
      if (isUpgrade) refuseUnpaid(before);
      await enforceChangeLimit(accountId);
      if (!isUpgrade) {
        await collected.subscribe(accountId, chosen.plan);
        return currentView(accountId);
      }
      const proration = prorationOnResume(before, chosen, seconds);
      await collected.upgrade(accountId, before, chosen.plan, proration);
      return { ...(await currentView(accountId)), proration: prorationView(proration) };
    }
    const id = newRequestId(random);
    let proration: Proration | undefined;
    const meter = await change(accountId, (current, at) => {
      if (isSubscribed(current)) throw alreadySubscribed();
      const isStillRunning = isMonthRunning(current, at);
      const grows = isStillRunning && chosen.plan.rank > current.planRank;
      // The month ended, or the plan changed, after it was decided that no payment is due.
      if (collected && (grows || !isStillRunning)) throw accountBusy();
      proration = grows ? prorationOnResume(current, chosen, at) : undefined;
      return subscribe(current, chosen, id, at, plans);
    });
    return { ...view(meter), ...(proration && { proration: prorationView(proration) }) };
  }

  /** Assigns a plan on behalf of an operator. `replace` can write further items in the same transaction. */
  async function assign(accountId: number, planId: string, replace?: MeterStore['replace']): Promise<void> {
    const chosen = chosenPlan(planId, plans);
    const id = newRequestId(random);
    const now = clock.now();
    const apply = (current: Meter) => {
      const assigned = current.planRank === chosen.plan.rank ? subscribe : startSubscription;
      const settled = assigned(withoutPayment(current), chosen, id, Math.floor(now / 1000), plans);
      return described(settled, { kind: 'assigned', plan: chosen.plan.name });
    };
    await collectAfter(accountId, () => metering.change(accountId, now, apply, replace));
  }

  /** Runs a change to an account or its plan that affects later charges. */
  async function collectAfter<Result>(accountId: number, change: () => Promise<Result>): Promise<Result> {
    const collected = await payments();
    await collected?.beforeChange(accountId);
    const result = await change();
    await collected?.afterChange(accountId);
    return result;
  }

  async function current(accountId: number) {
    const meter = await metering.current(accountId, clock.now());
    return meter.subscription ? view(meter) : null;
  }

  const view = (meter: Meter) => subscriptionView(meter, plans, Math.floor(clock.now() / 1000));
  const currentView = async (accountId: number) => view(await metering.current(accountId, clock.now()));

  /** A paid upgrade takes effect once it is paid. */
  async function upgradeTo(accountId: number, planId: string) {
    const chosen = chosenPlan(planId, plans);
    refuseUnsold(chosen.plan);
    const collected = await payments();
    if (!collected) return upgradeFree(accountId, chosen);
    const now = clock.now();
    const meter = await metering.current(accountId, now);
    const proration = prorationOf(meter, chosen, Math.floor(now / 1000));
    refuseUnpaid(meter);
    await enforceChangeLimit(accountId);
    await collected.upgrade(accountId, meter, chosen.plan, proration);
    return { ...(await currentView(accountId)), proration: prorationView(proration) };
  }

  async function upgradeFree(accountId: number, chosen: ChosenPlan) {
    let proration: Proration | undefined;
    const meter = await change(accountId, (before, now) => {
      proration = prorationOf(before, chosen, now);
      return upgrade(before, chosen, proration, now);
    });
    if (!proration) throw new Error('an upgrade without proration');
    return { ...view(meter), proration: prorationView(proration) };
  }

  async function preview(accountId: number, planId: string) {
    const chosen = chosenPlan(planId, plans);
    refuseUnsold(chosen.plan);
    const now = clock.now();
    const seconds = Math.floor(now / 1000);
    const meter = await metering.current(accountId, now);
    const isCancelled = !isSubscribed(meter) && isMonthRunning(meter, seconds);
    return prorationView((isCancelled ? prorationOnResume : prorationOf)(meter, chosen, seconds));
  }

  function prorationOnResume(meter: Meter, { plan }: ChosenPlan, now: number): Proration {
    const from = planOfMeter(meter, plans);
    return prorate(withoutCancellation(meter), from, plan.rank > from.rank ? plan : from, now);
  }

  function prorationOf(meter: Meter, chosen: ChosenPlan, now: number): Proration {
    const plan = activePlan(meter);
    if (chosen.plan.rank === plan.rank && isSameTerms(chosen.plan, plan)) throw onItAlready();
    if (chosen.plan.rank < plan.rank) throw otherWay('a smaller plan', 'PUT /subscription/downgrade-plan');
    return prorate(meter, plan, chosen.plan, now);
  }

  /** A downgrade to the current plan revokes a pending one. */
  async function downgradeTo(accountId: number, planId: string) {
    const chosen = chosenPlan(planId, plans);
    const meter = await change(accountId, (before, now) => {
      const isCurrent = isSubscribed(before) && chosen.plan.rank === before.planRank;
      if (!isCurrent) refuseUnsold(chosen.plan);
      const plan = activePlan(before);
      if (chosen.plan.rank > plan.rank) throw otherWay('a larger plan', 'PUT /subscription/upgrade-plan');
      if (isCurrent && !before.subscription?.pending) throw onItAlready();
      return downgrade(before, chosen, now);
    });
    return view(meter);
  }

  async function cancelById(accountId: number, id: string) {
    const meter = await change(accountId, (before, now) => {
      if (before.subscription?.id !== id) throw noSubscription();
      if (!isSubscribed(before)) throw new ServiceError('INVALID_STATE', 'The subscription is already cancelled.');
      return cancel(before, now, plans);
    });
    return view(meter);
  }

  async function resumeById(accountId: number, id: string) {
    const meter = await change(accountId, (before, now) => {
      if (before.subscription?.id !== id) throw noSubscription();
      if (isSubscribed(before)) throw new ServiceError('INVALID_STATE', 'The subscription is active.');
      if (!isMonthRunning(before, now)) {
        throw new ServiceError('INVALID_STATE', 'The paid period has ended. Subscribe again.');
      }
      return resume(before, now);
    });
    return view(meter);
  }

  async function change(accountId: number, apply: (meter: Meter, now: number) => Settled): Promise<Meter> {
    const now = clock.now();
    let isEnforced = false;
    const collected = await payments();
    const meter = await metering.change(accountId, now, async (before) => {
      const settled = apply(before, Math.floor(now / 1000));
      if (isEnforced) return settled;
      await enforceChangeLimit(accountId);
      await collected?.beforeChange(accountId);
      isEnforced = true;
      return settled;
    });
    await collected?.afterChange(accountId);
    return meter;
  }

  function activePlan(meter: Meter): PlanLimits {
    if (!isSubscribed(meter)) throw new ServiceError('INVALID_STATE', 'There is no active subscription to change.');
    return planOfMeter(meter, plans);
  }

  return {
    create,
    assign,
    collectAfter,
    current,
    preview,
    upgrade: upgradeTo,
    downgrade: downgradeTo,
    cancel: cancelById,
    resume: resumeById,
  };
}

function chosenPlan(planId: string, plans: Plans): ChosenPlan {
  const plan = findPlan(planId);
  if (!plan) throw new Error(`there is no plan ${planId}`);
  return { planId, plan: plans(plan.rank) };
}

function refuseUnsold({ name, price, isSold }: PlanLimits): void {
  if (!isSold) throw new ServiceError('INSUFFICIENT_PERMISSIONS', `The ${name} plan is not sold.`);
  if (price !== null) return;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', `The ${name} plan is not self-serve. Contact sales.`);
}

function refuseUnpaid({ subscription }: Meter): void {
  if (subscription?.unpaidSince === undefined) return;
  throw new ServiceError(
    'INVALID_STATE',
    isReturned(subscription)
      ? 'The payment of the current month was refunded or disputed. Cancel the subscription, then subscribe again.'
      : 'The current month is not paid. A renewal takes about an hour; after that, pay its open invoice, then upgrade.',
  );
}

/** An assigned plan is not charged, and never past due. */
function withoutPayment({ subscription, ...meter }: Meter): Meter {
  if (!subscription) return meter;
  const { paidUntil: _paid, unpaidSince: _since, ...free } = subscription;
  return { ...meter, subscription: free };
}

const noSubscription = () => new ServiceError('NOT_FOUND', 'There is no such subscription.');
const onItAlready = () => new ServiceError('INVALID_STATE', 'The subscription already has this plan.');

function otherWay(what: string, where: string): ServiceError {
  return new ServiceError('INVALID_FORMAT', `newPlanId names ${what}; use ${where}.`);
}

/** Charges for plans. Undefined on a stage without payments, which grants plans immediately. */
export interface PlanPayments {
  /** Charges the first month to the saved card. Returns once the plan is granted; throws 402 or 409. */
  subscribe(accountId: number, plan: PlanLimits): Promise<void>;
  /** Charges an upgrade of this meter. Returns once it is granted; throws 402 or 409. */
  upgrade(accountId: number, meter: Meter, plan: PlanLimits, proration: Proration): Promise<void>;
  /** Called before and after a change to the meter that affects later charges. */
  beforeChange(accountId: number): Promise<void>;
  afterChange(accountId: number): Promise<void>;
}

/** Formats the subscription (docs/specification.md#subscription-from-post-subscriptioncreate). */
export function subscriptionView(meter: Meter, plans: Plans, now: number) {
  const subscription = meter.subscription;
  const named = findPlan(subscription?.planId ?? '');
  if (!subscription || !named) throw new Error('there is no subscription to show');
  const { id, planId, status, pending, endsAt, creditsExpireAt, paidUntil, replacedAt } = subscription;
  const offered = plans(named.rank);
  const plan = { ...offered, ...meter.terms };
  const isChanged = !offered.isSold || !isSameTerms(plan, offered);
  return {
    id,
    planId,
    status,
    monthlyCredits: plan.creditsPerMonth ?? -1,
    creditsUsed: creditsUsed(meter),
    nextBillingDate: isoOfSeconds(endsAt ?? periodEnd(meter.period)).slice(0, 10),
    price: plan.price ?? 0,
    ...(status === 'active' && pending && { pendingPlanId: pending.planId }),
    ...(endsAt !== undefined && { endsAt: isoOfSeconds(endsAt) }),
    ...(creditsExpireAt !== undefined && { creditsExpireAt: isoOfSeconds(creditsExpireAt) }),
    ...(isChanged && { terms: termsView(plan) }),
    ...(paidUntil !== undefined && { paidUntil: isoOfSeconds(paidUntil) }),
    ...unpaidView(subscription, now),
    ...(status === 'active' &&
      replacedAt !== undefined &&
      offered.end && { replacement: replacementView(plans(offered.end.rank), replacedAt) }),
  };
}

/** Seconds in which a renewal is normally paid: Stripe finalizes its invoice after an hour. */
const renewalSeconds = 3 * 3600;

function unpaidView(subscription: Subscription, now: number) {
  const { unpaidSince } = subscription;
  if (unpaidSince === undefined) return {};
  const since = isoOfSeconds(unpaidSince);
  const reason = isReturned(subscription) ? 'payment_returned' : 'payment_due';
  if (reason === 'payment_due' && now < unpaidSince + renewalSeconds) return { renewalPendingSince: since };
  return { pastDue: { since, endsAt: isoOfSeconds(unpaidSince + pastDueSeconds), reason } } as const;
}

function termsView({ callsPerMonth, callsPerMinute, maxConcurrentCalls, features }: PlanLimits) {
  return { callsPerMonth, callsPerMinute, maxConcurrentCalls, features: [...features] };
}

const replacementView = ({ name }: PlanLimits, at: number) => ({ planId: name, from: isoOfSeconds(at) });

function prorationView({ from, to, ...proration }: Proration) {
  return { ...proration, from: isoOfSeconds(from), to: isoOfSeconds(to) };
}

/** Settled in the current billing period, from any lot, rounded up to whole credits. */
function creditsUsed(meter: Meter): number {
  return Math.ceil(usedCredits(meter) / microPerCredit);
}
