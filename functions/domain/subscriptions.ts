import { findPlan, type PlanLimits, type Plans } from '#contract/plans.ts';
import { microPerCredit } from '#contract/prices.ts';
import { newRequestId } from './ids.ts';
import { periodEnd, type Settled } from './meter/billing.ts';
import { isSubscribed, type Meter, shownSubscription } from './meter/meter.ts';
import type { Metering } from './meter/metering.ts';
import {
  type ChosenPlan,
  cancel,
  downgrade,
  type Proration,
  prorate,
  startSubscription,
  upgrade,
} from './meter/subscription-changes.ts';
import { iso } from './months.ts';
import type { Payments } from './payments.ts';
import type { Clock, Random } from './ports.ts';
import { ServiceError } from './service-error.ts';

export type SubscriptionService = ReturnType<typeof subscriptionService>;

/** The life of a subscription (spec "States and transitions", design section 3 from "Subscription life" on). */
export function subscriptionService(
  metering: Metering,
  payments: Payments,
  plans: Plans,
  clock: Clock,
  random: Random,
) {
  async function create(accountId: number, planId: string) {
    const chosen = chosenPlan(planId, plans);
    refuseEnterprise(chosen.plan);
    const id = newRequestId(random);
    await payments.begin(accountId, { subscriptionId: id, plan: chosen.plan.name, amount: chosen.plan.price ?? 0 });
    const meter = await change(accountId, (current, now) => {
      if (isSubscribed(current)) {
        throw new ServiceError(
          'ALREADY_SUBSCRIBED',
          'There is an active subscription; upgrade, downgrade or cancel it.',
        );
      }
      return startSubscription(current, chosen, id, now, plans);
    });
    return shown(meter, plans);
  }

  /** Puts an account on a plan from now on, whatever it had: what operators do. */
  async function assign(accountId: number, planId: string): Promise<void> {
    const chosen = chosenPlan(planId, plans);
    const id = newRequestId(random);
    await change(accountId, (current, now) => startSubscription(current, chosen, id, now, plans));
  }

  async function current(accountId: number) {
    const meter = await metering.current(accountId, clock.now());
    return shownSubscription(meter) ? shown(meter, plans) : null;
  }

  async function upgradeTo(accountId: number, planId: string) {
    const chosen = chosenPlan(planId, plans);
    refuseEnterprise(chosen.plan);
    let proration: Proration | undefined;
    const meter = await change(accountId, (before, now) => {
      proration = prorationOf(before, chosen, now);
      return upgrade(before, chosen, proration, now);
    });
    if (!proration) throw new Error('an upgrade without proration');
    await payments.prorate(accountId, {
      subscriptionId: meter.subscription?.id ?? '',
      plan: chosen.plan.name,
      amount: proration.amount,
    });
    return { ...shown(meter, plans), proration: shownProration(proration) };
  }

  /** What an upgrade would come to now, or the refusal it would meet. */
  async function preview(accountId: number, planId: string) {
    const chosen = chosenPlan(planId, plans);
    refuseEnterprise(chosen.plan);
    const now = clock.now();
    const meter = await metering.current(accountId, now);
    return shownProration(prorationOf(meter, chosen, Math.floor(now / 1000)));
  }

  function prorationOf(meter: Meter, chosen: ChosenPlan, now: number): Proration {
    const { plan } = activePlan(meter, chosen);
    if (chosen.plan.rank < plan.rank) throw otherWay('a smaller plan', 'PUT /subscription/downgrade-plan');
    return prorate(meter, plan, chosen.plan, now);
  }

  async function downgradeTo(accountId: number, planId: string) {
    const chosen = chosenPlan(planId, plans);
    refuseEnterprise(chosen.plan);
    const meter = await change(accountId, (before, now) => {
      const { plan } = activePlan(before, chosen);
      if (chosen.plan.rank > plan.rank) throw otherWay('a larger plan', 'PUT /subscription/upgrade-plan');
      return downgrade(before, chosen, now);
    });
    return shown(meter, plans);
  }

  async function cancelById(accountId: number, id: string) {
    const meter = await change(accountId, (before, now) => {
      if (shownSubscription(before)?.id !== id) throw new ServiceError('NOT_FOUND', 'There is no such subscription.');
      if (!isSubscribed(before)) throw new ServiceError('INVALID_STATE', 'The subscription is cancelled already.');
      return cancel(before, now);
    });
    await payments.end(accountId, id);
    return shown(meter, plans);
  }

  function change(accountId: number, apply: (meter: Meter, now: number) => Settled): Promise<Meter> {
    const now = clock.now();
    return metering.change(accountId, now, (meter) => apply(meter, Math.floor(now / 1000)));
  }

  function activePlan(meter: Meter, chosen: ChosenPlan): { plan: PlanLimits } {
    if (!isSubscribed(meter)) throw new ServiceError('INVALID_STATE', 'There is no active subscription to change.');
    if (chosen.plan.rank === meter.planRank)
      throw new ServiceError('INVALID_STATE', 'The subscription is on this plan already.');
    return { plan: plans(meter.planRank) };
  }

  return { create, assign, current, preview, upgrade: upgradeTo, downgrade: downgradeTo, cancel: cancelById };
}

/** The subscription as callers see it (spec "Subscription"; more fields once it is cancelled or to be downgraded). */
function shown(meter: Meter, plans: Plans) {
  const subscription = shownSubscription(meter);
  if (!subscription) throw new ServiceError('INVALID_STATE', 'There is no subscription.');
  const { id, planId, status, pending, endsAt, creditsExpireAt } = subscription;
  const { plan } = chosenPlan(planId, plans);
  return {
    id,
    planId,
    status,
    monthlyCredits: plan.creditsPerMonth ?? -1,
    creditsUsed: creditsUsed(meter),
    nextBillingDate: iso(endsAt ?? periodEnd(meter.period)).slice(0, 10),
    price: plan.price ?? 0,
    ...(pending && { pendingPlanId: pending.planId }),
    ...(endsAt !== undefined && { endsAt: iso(endsAt) }),
    ...(creditsExpireAt !== undefined && { creditsExpireAt: iso(creditsExpireAt) }),
  };
}

function shownProration({ from, to, ...proration }: Proration) {
  return { ...proration, from: iso(from), to: iso(to) };
}

/** Settled in the current billing period, from any lot, rounded up to whole credits. */
function creditsUsed({ used }: Meter): number {
  return Math.ceil(Object.values(used).reduce((sum, amount) => sum + amount, 0) / microPerCredit);
}

function chosenPlan(planId: string, plans: Plans): ChosenPlan {
  const plan = findPlan(planId);
  if (!plan) throw new Error(`there is no plan ${planId}`);
  return { planId, plan: plans(plan.rank) };
}

function refuseEnterprise(plan: PlanLimits): void {
  if (plan.name !== 'enterprise') return;
  throw new ServiceError(
    'INSUFFICIENT_PERMISSIONS',
    'The enterprise plan is assigned by the operators of the service; write to them.',
  );
}

function otherWay(what: string, where: string): ServiceError {
  return new ServiceError('INVALID_FORMAT', `newPlanId names ${what}; use ${where}.`);
}
