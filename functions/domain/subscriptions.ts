import { planOfRank } from '#contract/plans.ts';
import { newRequestId } from './ids.ts';
import { startSubscription } from './meter/billing.ts';
import type { Metering } from './meter/metering.ts';
import type { Clock, Random } from './ports.ts';

export type SubscriptionService = ReturnType<typeof subscriptionService>;

export function subscriptionService(metering: Metering, clock: Clock, random: Random) {
  /** Puts an account on a plan from now on, with the plan's first month granted. */
  async function start(accountId: number, planRank: number): Promise<void> {
    const now = clock.now();
    const subscription = { id: newRequestId(random), planId: planOfRank(planRank).name, status: 'active' } as const;
    await metering.change(accountId, now, (meter) =>
      startSubscription(meter, planRank, subscription, Math.floor(now / 1000)),
    );
  }

  return { start };
}
