/** The plan listing's values (spec "Plan listing endpoint values"): credits per month, priced calls per minute, USD. */
export const planListing = [
  { id: 1, name: 'freemium', price: 0, quota_limit: 100, rate_limit: 10 },
  { id: 2, name: 'dev_pass', price: 29.99, quota_limit: 5000, rate_limit: 100 },
  { id: 3, name: 'smm_pass', price: 99.99, quota_limit: 25_000, rate_limit: 500 },
  { id: 4, name: 'pro_pass', price: 299.99, quota_limit: 100_000, rate_limit: 2000 },
  { id: 5, name: 'enterprise', price: null, quota_limit: null, rate_limit: null },
] as const;

export type PlanName = (typeof planListing)[number]['name'];

/**
 * What the meter enforces for a plan. `rank` orders plans from the smallest up and is the plan's id;
 * `creditsPerMonth` in whole credits, `callsPerMinute` priced calls, null meaning unlimited;
 * `callsInFlight` calls open at one moment (design section 3, "Rate").
 */
export interface PlanLimits {
  readonly name: PlanName;
  readonly rank: number;
  readonly creditsPerMonth: number | null;
  readonly callsPerMinute: number | null;
  readonly callsInFlight: number;
}

/** What a plan without a limit is granted each month: more credits than calls could be made. Shown as unlimited. */
const unlimitedCredits = 1_000_000_000;

const callsInFlight = { freemium: 5, dev_pass: 20, smm_pass: 50, pro_pass: 100, enterprise: 1000 } as const;

const limits: ReadonlyMap<number, PlanLimits> = new Map(
  planListing.map((plan) => [
    plan.id,
    {
      name: plan.name,
      rank: plan.id,
      creditsPerMonth: plan.quota_limit,
      callsPerMinute: plan.rate_limit,
      callsInFlight: callsInFlight[plan.name],
    },
  ]),
);

/** The limits of the plan with this rank (1 to 5); throws on any other number. */
export function planOfRank(rank: number): PlanLimits {
  const plan = limits.get(rank);
  if (!plan) throw new Error(`no plan has the rank ${rank}`);
  return plan;
}

/** Whole credits granted each month. */
export function monthlyGrant(plan: PlanLimits): number {
  return plan.creditsPerMonth ?? unlimitedCredits;
}

/** The rank of the smallest plan, whose limits also hold before any subscription. */
export const freePlanRank = 1;
