import type { PlanLimits } from '#contract/billing/plans.ts';
import type { Meter } from '../meter/meter.ts';
import type { Proration } from './subscription-changes.ts';

/** Charges for plans. Undefined on a stage without payments, which grants plans immediately. */
export interface PlanPayments {
  /** Charges the first month to the saved card. Returns once the plan is granted; throws 402 or 409. */
  subscribe(accountId: number, plan: PlanLimits): Promise<void>;
  /** Charges an upgrade of this meter. Returns once it is granted; throws 402 or 409. */
  upgrade(accountId: number, meter: Meter, plan: PlanLimits, proration: Proration): Promise<void>;
  /** Called before and after a change of the meter that changes later charges. */
  beforeChange(accountId: number): Promise<void>;
  afterChange(accountId: number): Promise<void>;
}

export const noPayments = async (): Promise<PlanPayments | undefined> => undefined;
