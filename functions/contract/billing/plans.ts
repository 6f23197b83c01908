/** The plan listing's values (docs/specification.md#plans): credits per month, priced calls per minute, USD. */
export const planListing = [
  { id: 1, name: 'freemium', price: 0, quota_limit: 100, rate_limit: 10 },
  { id: 2, name: 'dev_pass', price: 29.99, quota_limit: 5000, rate_limit: 100 },
  { id: 3, name: 'smm_pass', price: 99.99, quota_limit: 25_000, rate_limit: 500 },
  { id: 4, name: 'pro_pass', price: 299.99, quota_limit: 100_000, rate_limit: 2000 },
  { id: 5, name: 'enterprise', price: null, quota_limit: null, rate_limit: null },
] as const;

export type PlanName = (typeof planListing)[number]['name'];
export const planNames = planListing.map(({ name }) => name);

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
] as const;

/**
 * The plan overview's values (docs/specification.md#plans), which do not agree with the listing's; a stage may enforce them
 * instead. Null where the overview gives no value; `callsPerMonth` null meaning unlimited. Prices in USD.
 */
export const planOverview = [
  { name: 'freemium', price: 0, callsPerMonth: 10, callsPerMinute: 5 },
  { name: 'dev_pass', price: 19, callsPerMonth: 1000, callsPerMinute: 20 },
  { name: 'smm_pass', price: 129, callsPerMonth: 10_000, callsPerMinute: null },
  { name: 'pro_pass', price: 399, callsPerMonth: 100_000, callsPerMinute: 500 },
  { name: 'enterprise', price: null, callsPerMonth: null, callsPerMinute: null },
] as const;

/**
 * What the meter enforces for a plan. `rank` orders plans from the smallest up and is the plan's id;
 * `creditsPerMonth` in whole credits, `callsPerMonth` and `callsPerMinute` priced calls, null meaning unlimited;
 * `maxConcurrentCalls` calls open at one moment (docs/meter.md#rate); `price` in USD a month.
 */
export interface PlanLimits {
  readonly name: PlanName;
  readonly rank: number;
  readonly price: number | null;
  readonly creditsPerMonth: number | null;
  readonly callsPerMonth: number | null;
  readonly callsPerMinute: number | null;
  readonly maxConcurrentCalls: number;
}

/** The limits of the plan with a rank (1 to 5); throws on any other number. */
export type Plans = (rank: number) => PlanLimits;

/** Which of the two tables a stage enforces. */
export const planTables = ['listing', 'overview'] as const;
export type PlanTable = (typeof planTables)[number];

const maxConcurrentCalls = { freemium: 5, dev_pass: 20, smm_pass: 50, pro_pass: 100, enterprise: 1000 } as const;

/** Credits per month and prices are the listing's in either case: the overview has no credits. */
export function plansOf(table: PlanTable): Plans {
  const limits = new Map(
    planListing.map(({ id: rank, name, price, quota_limit: creditsPerMonth, rate_limit }): [number, PlanLimits] => {
      const overview = table === 'overview' ? planOverview.find((plan) => plan.name === name) : undefined;
      const callsPerMinute = overview?.callsPerMinute ?? rate_limit;
      const callsPerMonth = overview?.callsPerMonth ?? null;
      return [
        rank,
        {
          name,
          rank,
          price,
          creditsPerMonth,
          callsPerMonth,
          callsPerMinute,
          maxConcurrentCalls: maxConcurrentCalls[name],
        },
      ];
    }),
  );
  return (rank) => {
    const plan = limits.get(rank);
    if (!plan) throw new Error(`no plan has the rank ${rank}`);
    return plan;
  };
}

/** What a plan without a limit is granted each month: more credits than calls could be made. Shown as unlimited. */
const unlimitedCredits = 1_000_000_000;

/** The plan of this rank, by the listing. */
export const planOfRank = plansOf('listing');

/** The plan that a caller names, by its name or its id as a string. */
export function findPlan(planId: string): PlanLimits | undefined {
  const found = planListing.find(({ id, name }) => name === planId || String(id) === planId);
  return found && planOfRank(found.id);
}

/** Whole credits granted each month. */
export function monthlyGrant(plan: PlanLimits): number {
  return plan.creditsPerMonth ?? unlimitedCredits;
}

/** The rank of the smallest plan, whose limits also hold before any subscription. */
export const freePlanRank = 1;

/** The smallest plan that has messages: SMS and voice calls. */
export const messagesPlan = planListing[1];

/** The smallest plan that has webhooks. */
export const webhooksPlan = planListing[2];
