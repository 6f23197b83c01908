import { planOfRank } from '#contract/billing/plans.ts';
import { grantCredits } from '#domain/billing/grants.ts';
import {
  cancel,
  downgrade,
  isMonthRunning,
  prorate,
  resume,
  subscribe,
  upgrade,
} from '#domain/billing/subscription-changes.ts';
import { type Settled, isSubscribed, type Meter } from '#domain/meter/meter.ts';
import { credits } from './meters.ts';

const chosen = (rank: number) => ({ planId: planOfRank(rank).name, plan: planOfRank(rank) });

/** Actions of the owner or an operator at a given time; undefined if the action would be refused. */
export const acts: Record<string, (meter: Meter, rank: number, now: number) => Settled | undefined> = {
  subscribe: (meter, rank, now) =>
    isSubscribed(meter) ? undefined : subscribe(meter, chosen(rank), `sub-${now}`, now, planOfRank),
  upgrade: (meter, rank, now) => {
    if (!isSubscribed(meter) || rank <= meter.planRank) return undefined;
    const proration = prorate(meter, planOfRank(meter.planRank), planOfRank(rank), now);
    return upgrade(meter, chosen(rank), proration, now);
  },
  downgrade: (meter, rank, now) =>
    isSubscribed(meter) && rank <= meter.planRank ? downgrade(meter, chosen(rank), now) : undefined,
  cancel: (meter, _, now) => (isSubscribed(meter) ? cancel(meter, now) : undefined),
  resume: (meter, _, now) => (!isSubscribed(meter) && isMonthRunning(meter, now) ? resume(meter, now) : undefined),
  topUp: (meter, rank, now) => grantCredits(meter, credits(rank), now),
  assignAgain: (meter, _, now) => subscribe(meter, chosen(meter.planRank), `sub-${now}`, now, planOfRank),
};
