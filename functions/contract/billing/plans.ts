import { offer } from '../offer/current-offer.ts';
import { planOverview } from '../offer/default-offer.ts';
import type { OfferedPlan, PlanFeature } from '../offer/offer.ts';
import { daySeconds } from '../shared/time.ts';

/** Values of the plan listing (docs/specification.md#plans): credits per month, priced calls per minute, USD. */
export const planListing = offer.plans.map(({ id, name, priceUsd, creditsPerMonth, callsPerMinute }) => ({
  id,
  name,
  price: priceUsd,
  quota_limit: creditsPerMonth,
  rate_limit: callsPerMinute,
}));

export type PlanName = string;

/** The plans that customers can buy, or ask the sales team for. */
const sold = offer.plans.filter(({ hidden, endsOn }) => !hidden && endsOn === null);
const isSold = ({ id }: { readonly id: number }): boolean => sold.some((plan) => plan.id === id);
export const soldPlans = planListing.filter(isSold);

/** The plan at a position, for examples. The largest plan if the offer has fewer. */
export const planAt = (position: number): PlanName => (soldPlans[position] ?? soldPlans.at(-1))?.name ?? '';

/** Undefined if the offer has no free plan. */
export const freePlanName = planListing.find(({ price }) => price === 0)?.name;

/** Kinds of subscription changes. Every change has one ledger row, even if it moves no credits. */
export const changeKinds = [
  'subscribed',
  'assigned',
  'renewed',
  'upgraded',
  'downgrade_scheduled',
  'downgrade_cancelled',
  'downgraded',
  'cancelled',
  'resumed',
  'ending',
  'replaced',
  'paid',
  'payment_due',
  'payment_returned',
  'ended_unpaid',
] as const;

/**
 * Limits of a plan that the meter enforces. `rank` orders plans from the smallest and is the plan's id.
 * `creditsPerMonth` is in whole credits; `callsPerMonth` and `callsPerMinute` count priced calls; null means unlimited.
 * `maxConcurrentCalls` limits calls in progress (docs/meter.md#rate). `price` is in USD a month.
 */
export interface PlanLimits {
  readonly name: PlanName;
  readonly rank: number;
  readonly price: number | null;
  readonly creditsPerMonth: number | null;
  readonly callsPerMonth: number | null;
  readonly callsPerMinute: number | null;
  readonly maxConcurrentCalls: number;
  readonly features: readonly PlanFeature[];
  readonly isSold: boolean;
  /** Epoch seconds from which renewals change to another plan. */
  readonly end?: { readonly at: number; readonly rank: number };
}

/** The part of a plan that a subscription keeps (docs/adr/0037-kept-terms.md). */
export type PlanTerms = Pick<
  PlanLimits,
  'price' | 'creditsPerMonth' | 'callsPerMonth' | 'callsPerMinute' | 'maxConcurrentCalls' | 'features'
>;

export const termsIn = ({
  price,
  creditsPerMonth,
  callsPerMonth,
  callsPerMinute,
  maxConcurrentCalls,
  features,
}: PlanTerms): PlanTerms => ({ price, creditsPerMonth, callsPerMonth, callsPerMinute, maxConcurrentCalls, features });

export function isSameTerms(one: PlanTerms, other: PlanTerms): boolean {
  const [{ features, ...values }, { features: others, ...rest }] = [termsIn(one), termsIn(other)];
  const all = new Set([...features, ...others]);
  return (
    all.size === features.length &&
    features.length === others.length &&
    Object.entries(values).every(([name, value]) => value === Object(rest)[name])
  );
}

/** Limits of the plan with a rank. Throws for any other number. */
export type Plans = (rank: number) => PlanLimits;

/** The table of plans that a stage enforces. */
export const planTables = ['listing', 'overview'] as const;
export type PlanTable = (typeof planTables)[number];

/** Both tables use the listing's credits per month and prices, because the overview has no credits. */
export function plansOf(table: PlanTable): Plans {
  const limits = new Map(
    offer.plans.map(({ id: rank, name, priceUsd: price, features, ...plan }): [number, PlanLimits] => {
      const overview = table === 'overview' ? planOverview.find((one) => one.name === name) : undefined;
      const { creditsPerMonth, maxConcurrentCalls } = plan;
      const callsPerMinute = overview?.callsPerMinute ?? plan.callsPerMinute;
      const callsPerMonth = overview ? overview.callsPerMonth : plan.callsPerMonth;
      const end = endOf(plan);
      const limits = { creditsPerMonth, callsPerMonth, callsPerMinute, maxConcurrentCalls };
      return [rank, { name, rank, price, ...limits, features, isSold: isSold({ id: rank }), ...(end && { end }) }];
    }),
  );
  return (rank) => {
    const plan = limits.get(rank);
    if (!plan) throw new Error(`no plan has the rank ${rank}`);
    return plan;
  };
}

/** A plan ends after its last day, in UTC. */
function endOf({ endsOn, replacedBy }: Pick<OfferedPlan, 'endsOn' | 'replacedBy'>): PlanLimits['end'] {
  const rank = offer.plans.find(({ name }) => name === replacedBy)?.id;
  if (endsOn === null || rank === undefined) return undefined;
  return { at: Date.parse(endsOn) / 1000 + daySeconds, rank };
}

/** Monthly grant of a plan without a limit: more credits than calls can use. Displayed as unlimited. */
const unlimitedCredits = 1_000_000_000;

/** Plan with this rank in the listing. */
export const planOfRank = plansOf('listing');

/** Finds a plan by its name, or by its id as a string. */
export function findPlan(planId: string): PlanLimits | undefined {
  const found = planListing.find(({ id, name }) => name === planId || String(id) === planId);
  return found && planOfRank(found.id);
}

/** The plan's name for customers. */
export const titleOf = ({ rank, name }: PlanLimits): string => offer.plans.find(({ id }) => id === rank)?.title ?? name;

/** Whole credits granted each month. */
export function monthlyGrant(plan: Pick<PlanLimits, 'creditsPerMonth'>): number {
  return plan.creditsPerMonth ?? unlimitedCredits;
}

/** Rank of the smallest plan. Its limits also apply before any subscription. */
export const freePlanRank = offer.plans[0]?.id ?? 1;

function findSmallestWith(feature: PlanFeature): { readonly id: number; readonly name: PlanName | undefined } {
  const plan = sold.find(({ features }) => features.includes(feature));
  return { id: plan?.id ?? Number.MAX_SAFE_INTEGER, name: plan?.name };
}

/** The smallest plan with a feature. If no plan has it, the id is larger than that of any plan. */
export const smallestWith = { messages: findSmallestWith('messages'), webhooks: findSmallestWith('webhooks') } as const;

/** Smallest plan that includes messages: SMS and voice calls. */
export const messagesPlan = smallestWith.messages;

/** Smallest plan that includes webhooks. */
export const webhooksPlan = smallestWith.webhooks;
