import { findPlan, type PlanName, planOfRank } from '#contract/billing/plans.ts';
import { periodEnd, periodStart } from '../../meter/credits/billing.ts';
import { iso } from '../../meter/credits/months.ts';
import type { Meter, Period, Subscription } from '../../meter/meter.ts';
import type { AccountEvent, MeterChange } from './event.ts';

type Change = MeterChange & { readonly before: Meter };

/** Every change of a subscription ends something, so it has an entry, with its moment. */
export function subscriptionEvents({ before, after, entries }: Change): AccountEvent[] {
  const at = entries.at(-1)?.at;
  if (at === undefined) return [];
  const [old, current] = [before.subscription, after.subscription];
  const isOther = old?.id !== current?.id;
  const ended = old && isOther ? [{ type: 'subscription.expired', at, data: dataOf(after, old) } as const] : [];
  if (!current) return ended;
  const data = dataOf(after, current);
  if (before.subscription?.id !== current.id) return [...ended, { type: 'subscription.created', at, data }];
  return [...renewals({ before, after }, current), ...changes({ before, after }, current, at)];
}

type Meters = Pick<Change, 'before' | 'after'>;

/** One for each month that began, also where one write caught up with several. */
function renewals({ before, after }: Meters, current: Subscription): AccountEvent[] {
  const { anchor, index } = before.period;
  const isSame = before.subscription?.status === 'active' && anchor === after.period.anchor;
  const months = isSame ? Math.max(0, after.period.index - index) : 0;
  return Array.from({ length: months }, (_, month) => {
    const period: Period = { anchor, index: index + 1 + month };
    const at = periodStart(period);
    const data = { ...dataOf(after, current), periodStart: iso(at), periodEnd: iso(periodEnd(period)) };
    return { type: 'subscription.renewed', at, data };
  });
}

function changes({ before, after }: Meters, current: Subscription, at: number): AccountEvent[] {
  const data = dataOf(after, current);
  const wasActive = before.subscription?.status === 'active';
  const { status, endsAt = 0, creditsExpireAt = 0 } = current;
  if (status !== 'active') {
    const ends = { endsAt: iso(endsAt), creditsExpireAt: iso(creditsExpireAt) };
    return wasActive ? [{ type: 'subscription.cancelled', at, data: { ...data, ...ends } }] : [];
  }
  const previous = before.subscription ? planIn(before.subscription) : planIn(current);
  const plan = planIn(current);
  const resumed = wasActive
    ? []
    : [{ type: 'subscription.resumed', at, data: { ...data, planId: previous.name } } as const];
  if (previous.rank === plan.rank) return resumed;
  const type = plan.rank > previous.rank ? 'subscription.upgraded' : 'subscription.downgraded';
  return [...resumed, { type, at, data: { ...data, previousPlanId: previous.name } }];
}

function dataOf({ accountId, seq }: Meter, subscription: Subscription) {
  return { accountId, seq, subscriptionId: subscription.id, planId: planIn(subscription).name };
}

/** By the name of its plan, whatever it was called by. */
function planIn({ planId }: Subscription): { readonly name: PlanName; readonly rank: number } {
  return findPlan(planId) ?? planOfRank(1);
}
