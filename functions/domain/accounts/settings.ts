import type { Plans } from '#contract/billing/plans.ts';
import type { CommonPasswords } from './passwords/password-policy.ts';

export interface AccountSettings {
  /** Origin of the dashboard, which mail links lead to. */
  readonly publicOrigin: string;
  readonly scryptLog2Cost: number;
  readonly commonPasswords: CommonPasswords;
  readonly plans: Plans;
}
