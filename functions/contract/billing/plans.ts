/** Values of the plan listing (docs/specification.md#plans): credits per month, priced calls per minute, USD. */
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
 * Values of the plan overview (docs/specification.md#plans), which differ from the listing's. A stage may enforce them
 * instead. Null if the overview has no value; in `callsPerMonth`, null means unlimited. Prices in USD.
 */
export const planOverview = [
  { name: 'freemium', price: 0, callsPerMonth: 10, callsPerMinute: 5 },
  { name: 'dev_pass', price: 19, callsPerMonth: 1000, callsPerMinute: 20 },
  { name: 'smm_pass', price: 129, callsPerMonth: 10_000, callsPerMinute: null },
  { name: 'pro_pass', price: 399, callsPerMonth: 100_000, callsPerMinute: 500 },
  { name: 'enterprise', price: null, callsPerMonth: null, callsPerMinute: null },
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
}

/** Limits of the plan with a rank from 1 to 5. Throws for any other number. */
export type Plans = (rank: number) => PlanLimits;

/** The table of plans that a stage enforces. */
export const planTables = ['listing', 'overview'] as const;
export type PlanTable = (typeof planTables)[number];

const maxConcurrentCalls = { freemium: 5, dev_pass: 20, smm_pass: 50, pro_pass: 100, enterprise: 1000 } as const;

/** Both tables use the listing's credits per month and prices, because the overview has no credits. */
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

/** Monthly grant of a plan without a limit: more credits than calls can use. Displayed as unlimited. */
const unlimitedCredits = 1_000_000_000;

/** Plan with this rank in the listing. */
export const planOfRank = plansOf('listing');

/** Finds a plan by its name, or by its id as a string. */
export function findPlan(planId: string): PlanLimits | undefined {
  const found = planListing.find(({ id, name }) => name === planId || String(id) === planId);
  return found && planOfRank(found.id);
}

/** Whole credits granted each month. */
export function monthlyGrant(plan: PlanLimits): number {
  return plan.creditsPerMonth ?? unlimitedCredits;
}

/** Rank of the smallest plan. Its limits also apply before any subscription. */
export const freePlanRank = 1;

/** Smallest plan that includes messages: SMS and voice calls. */
export const messagesPlan = planListing[1];

/** Smallest plan that includes webhooks. */
export const webhooksPlan = planListing[2];
