import { t } from '@lingui/core/macro';
import type { InferOutput } from 'valibot';
import { freePlanRank, webhooksPlan, messagesPlan, type PlanLimits, smallestWith } from '#contract/billing/plans.ts';
import type { CurrentSubscription, PlanList } from '#contract/billing/subscriptions.ts';
import { callableModels } from '#contract/inference/models.ts';
import { offer } from '#contract/offer/current-offer.ts';
import type { PlanFeature } from '#contract/offer/offer.ts';
import { addMonths, dayOf } from '#contract/shared/time.ts';
import { formatDay, formatPrice, creditCount, formatWhole } from '../../lib/format.ts';
import { agreedPrice, planInSentence, planNameOf } from '../../lib/offer.ts';

export type Plan = InferOutput<typeof PlanList>['plans'][number];
export type Subscription = InferOutput<typeof CurrentSubscription>;

/** Relation of a plan to the subscription; `available` without an active subscription. */
export type PlanState = 'current' | 'scheduled' | 'available' | 'larger' | 'smaller';

export function planStateOf(plan: Plan, current: Plan | undefined, subscription: Subscription): PlanState {
  const scheduled = subscription?.pendingPlanId;
  if (plan.name === scheduled || String(plan.id) === scheduled) return 'scheduled';
  if (subscription?.status !== 'active' || !current) return 'available';
  if (plan.id === current.id) return 'current';
  return plan.id > current.id ? 'larger' : 'smaller';
}

/** Whether the subscription is active. A cancelled one is until its paid period ends. */
export function isInForce(subscription: Subscription, now: number): boolean {
  if (subscription?.status !== 'cancelled') return subscription !== null;
  return Date.parse(subscription.endsAt ?? subscription.nextBillingDate) > now;
}

/** The day on which the plan ends, as an ISO date or time. Undefined if it continues. */
export function endOf(subscription: Subscription): string | undefined {
  if (subscription?.status === 'cancelled') return subscription.endsAt ?? subscription.nextBillingDate;
  return subscription?.pastDue?.reason === 'payment_returned' ? subscription.pastDue.endsAt : undefined;
}

/** The price of a deployment that accepts payments, such as "$29.99 per month". */
export function chargedPrice(subscription: Subscription): string {
  const price = subscription ? agreedPrice(subscription) : 0;
  if (!price) return formatPrice(price);
  return subscription?.paidUntil === undefined ? t`Not charged` : t`${{ price: formatPrice(price) }} per month`;
}

/** Limits of the subscription, or undefined if the plan is still sold on its terms. */
export const keptTerms = (subscription: Subscription) =>
  subscription?.terms && {
    ...subscription.terms,
    creditsPerMonth: subscription.monthlyCredits === -1 ? null : subscription.monthlyCredits,
  };

/** Whether the plan consists of free credits without a subscription. They do not roll over. */
export const isFreeAllowance = (plan: Plan, subscription: Subscription): boolean =>
  subscription === null && plan.id === freePlanRank;

/** Badge on the card of the current or scheduled plan. */
export function badgeOf(
  plan: Plan,
  current: Plan | undefined,
  subscription: Subscription,
  now: number,
): string | undefined {
  if (planStateOf(plan, current, subscription) === 'scheduled') return t`Scheduled`;
  if (subscription === null) return isFreeAllowance(plan, subscription) ? t`Current plan` : undefined;
  return plan.id === current?.id && isInForce(subscription, now) ? t`Current plan` : undefined;
}

/** Whether users can subscribe on this page. Plans without a price are sold by the sales team. */
export const isSelfServe = ({ price }: Plan): boolean => price !== null;

/** Returns the next larger plan that includes webhooks, or undefined. */
export const recommendedPlan = (plans: readonly Plan[], current: Plan | undefined): Plan | undefined =>
  plans.find((plan) => isSelfServe(plan) && plan.id >= webhooksPlan.id && plan.id > (current?.id ?? 0));

/**
 * Describes a month that is past due: "The payment for the Dev Pass failed on 1 Dec 2026. …" `returned`: the status of
 * a refunded or disputed payment, once known.
 */
export function pastDueText(
  { planId, pastDue }: NonNullable<Subscription>,
  returned?: 'refunded' | 'disputed',
): string | undefined {
  if (!pastDue) return undefined;
  const plan = planInSentence(planId);
  const [day, end] = [formatDay(pastDue.since), formatDay(pastDue.endsAt)];
  if (pastDue.reason === 'payment_due')
    return t`The payment for the ${plan} failed on ${day}. You keep its limits until ${end}, without new credits. If it is not paid by then, the plan ends.`;
  if (returned === 'disputed')
    return t`The payment for the ${plan} was disputed on ${day}. You keep its limits until ${end}, without new credits. Unless the dispute is resolved by then, the plan ends.`;
  if (returned === 'refunded')
    return t`The payment for the ${plan} was refunded on ${day}. You keep its limits until ${end}, without new credits. Then the plan ends.`;
  return t`The payment for the ${plan} was refunded or disputed on ${day}. You keep its limits until ${end}, without new credits. Then the plan ends.`;
}

interface NextPayment {
  /** UTC day as an ISO date. */
  readonly day: string;
  readonly usd: number;
}

/** The next month's payment, for the plan that applies then. Undefined if nothing will be charged. */
export function nextPayment(subscription: Subscription, plans: readonly Plan[]): NextPayment | undefined {
  if (subscription?.paidUntil === undefined || endOf(subscription) !== undefined) return undefined;
  const { nextBillingDate: day, pendingPlanId, replacement, price } = subscription;
  const isReplaced = replacement !== undefined && replacement.from.slice(0, day.length) <= day;
  const next = pendingPlanId ?? (isReplaced ? replacement.planId : undefined);
  const usd = next === undefined ? price : plans.find(({ name }) => name === planNameOf(next))?.price;
  return usd ? { day, usd } : undefined;
}

interface UnpaidRenewal {
  readonly usd: number;
  /** Start of its month, as an ISO time. */
  readonly since: string;
  /** False while it is being charged. */
  readonly isPastDue: boolean;
}

/** The payment for the current month, until it is paid. */
export function unpaidRenewal(subscription: Subscription): UnpaidRenewal | undefined {
  const { price = 0, pastDue, renewalPendingSince } = subscription ?? {};
  if (renewalPendingSince !== undefined) return { usd: price, since: renewalPendingSince, isPastDue: false };
  return pastDue?.reason === 'payment_due' ? { usd: price, since: pastDue.since, isPastDue: true } : undefined;
}

/** The same day of the next month, or its last day, as an ISO date. */
export const dayInAMonth = (now: number): string => dayOf(addMonths(now / 1000, 1) * 1000);

/** A line about a plan. `models` are ids, shown between the texts. */
export interface PlanFact {
  readonly isIncluded: boolean;
  readonly before?: string;
  readonly models?: string;
  readonly after?: string;
}

/** Excludes hidden plans. */
const largestListed = offer.plans.findLast(({ hidden }) => !hidden)?.id ?? 0;
const reservedModels = callableModels().filter(({ minPlanRank }) => minPlanRank > 1 && minPlanRank <= largestListed);

/** Limits and features of a plan, for the plans page and the public pages. */
export function planFacts({
  rank,
  creditsPerMonth,
  callsPerMonth,
  callsPerMinute,
  maxConcurrentCalls,
  features,
}: Omit<PlanLimits, 'name' | 'price'>): PlanFact[] {
  const has = (feature: PlanFeature): boolean => rank >= smallestWith[feature].id || features.includes(feature);
  const fact = (before: string): PlanFact => ({ isIncluded: true, before });
  const credits = creditCount(creditsPerMonth ?? 0);
  const monthly = formatWhole(callsPerMonth ?? 0);
  const perMinute = formatWhole(callsPerMinute ?? 0);
  const concurrent = formatWhole(maxConcurrentCalls);
  return [
    fact(creditsPerMonth === null ? t`Unlimited credits` : t`${credits} per month`),
    ...(callsPerMonth === null ? [] : [fact(t`${monthly} calls per month`)]),
    fact(callsPerMinute === null ? t`Unlimited calls per minute` : t`${perMinute} calls per minute`),
    fact(t`${concurrent} concurrent calls`),
    ...reservedModelsFact(rank),
    ...featureFact(has('messages'), messagesPlan, t`SMS and voice calls`, t`No SMS or voice calls`),
    ...featureFact(has('webhooks'), webhooksPlan, t`Webhooks`, t`No webhooks`),
  ];
}

function reservedModelsFact(rank: number): PlanFact[] {
  if (reservedModels.length === 0) return [];
  const ids = reservedModels.map(({ id }) => id).join(', ');
  const isIncluded = reservedModels.some(({ minPlanRank }) => minPlanRank <= rank);
  return [
    isIncluded
      ? { isIncluded, before: `${t`All models, including`} `, models: ids }
      : { isIncluded, models: ids, after: ` ${t`not included`}` },
  ];
}

/** Empty if no plan has the feature. */
function featureFact(isIncluded: boolean, smallest: typeof messagesPlan, yes: string, no: string): PlanFact[] {
  if (smallest.name === undefined && !isIncluded) return [];
  return [{ isIncluded, before: isIncluded ? yes : no }];
}
