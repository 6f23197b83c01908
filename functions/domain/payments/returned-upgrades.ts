import { findPlan, type PlanLimits, type Plans } from '#contract/billing/plans.ts';
import { cancelledAt, cancellationGraceSeconds, withPlan } from '../billing/grants.ts';
import { withoutCancellation } from '../billing/subscription-changes.ts';
import type { Meter, Subscription } from '../meter/meter.ts';
import { onPlan, periodEnd, periodStart } from '../meter/periods.ts';
import { asSold, isSameMonthTerms, type Order, type OrderStore } from './order.ts';

/** `isWhole`: whether the payment is returned in full now. */
export interface ReturnedUpgrade {
  readonly isWhole: boolean;
  /** Granted upgrades of the month, sorted by grant, with this order as it was before the return. */
  readonly upgrades: readonly Order[];
}

/** Granted upgrades of the order's month, sorted by grant. */
export async function upgradesWith(store: OrderStore, order: Order, { period }: Meter): Promise<readonly Order[]> {
  if (!order.upgrade || !isOfMonth(order, period)) return [];
  const found = [order];
  const start = periodStart(period) * 1000;
  let cursor: string | undefined;
  do {
    const { items, next } = await store.page(order.accountId, { limit: 200, cursor });
    found.push(...items.filter((one) => one.id !== order.id && one.lot !== undefined && isOfMonth(one, period)));
    cursor = (items.at(-1)?.createdAt ?? 0) >= start && next !== null ? next : undefined;
  } while (cursor !== undefined);
  return found.toSorted(byGrant);
}

/**
 * A full refund of an upgrade undoes it in its month, until the refund fails or a dispute is won. The plan is that of
 * the latest upgrade that is not returned, because events of several returned ones arrive in any order. `now` in epoch
 * seconds.
 */
export function returnedUpgrade(
  meter: Meter,
  order: Order,
  { isWhole, upgrades: ofMonth }: ReturnedUpgrade,
  plans: Plans,
  now: number,
): Meter {
  const upgrades = sinceAssignment(ofMonth);
  const before = upgrades.findLastIndex((one) => !isReturned(one));
  const after = upgrades.findLastIndex((one) => (one.id === order.id ? !isWhole : !isReturned(one)));
  if (!meter.subscription || before === after || planAfter(upgrades, before, plans)?.rank !== meter.planRank)
    return meter;
  const plan = planAfter(upgrades, after, plans);
  if (!plan) return meter;
  const moved = chainOf(upgrades, Math.max(before, after), Math.min(before, after));
  // A plan that an operator assigned since is neither changed nor charged.
  const wasPaid = moved.at(-1)?.upgrade?.before?.isPaid !== false;
  if (meter.subscription.paidUntil === undefined && (after < before || wasPaid)) return meter;
  if (after > before) return doneAgain(meter, upgrades, moved, plan);
  const kept = upgrades.slice(0, after + 1).filter((one) => !isReturned(one));
  return undone(meter, { moved, kept, upgrades }, plan, now);
}

/**
 * Returns the upgrade at `index` and those that it was based on, newest first, down to `end`. Omits upgrades that had
 * been undone before a later one was granted.
 */
function chainOf(upgrades: readonly Order[], index: number, end: number): Order[] {
  const order = index > end ? upgrades[index] : undefined;
  return order ? [order, ...chainOf(upgrades, baseOf(upgrades, index), end)] : [];
}

/** Index of the upgrade whose plan the one at `index` replaced. -1 for the plan before all upgrades. */
function baseOf(upgrades: readonly Order[], index: number): number {
  const { fromRank, from } = upgrades[index]?.upgrade ?? {};
  return upgrades.slice(0, index).findLastIndex(({ planId = '', upgrade }) => {
    const isSame = !from || !upgrade?.month || isSameMonthTerms(upgrade.month, from);
    return findPlan(planId)?.rank === fromRank && isSame;
  });
}

/**
 * Returns the upgrades since an operator last assigned a plan, on which earlier upgrades have no effect. An assigned
 * plan is one without payment that replaced a paid one.
 */
function sinceAssignment(upgrades: readonly Order[]): readonly Order[] {
  const assigned = upgrades.findLastIndex(
    ({ upgrade }, index) => upgrade?.before?.isPaid === false && baseOf(upgrades, index) >= 0,
  );
  return upgrades.slice(Math.max(0, assigned));
}

const continuedCancelled = ({ upgrade }: Order): boolean => upgrade?.before?.isCancelled ?? upgrade?.resumes === true;

/**
 * Whether the cancellation at `seq` results from undoing one of the `redone` upgrades, which had continued the plan.
 */
function isOfUndo(seq: number | undefined, redone: readonly Order[], upgrades: readonly Order[]): boolean {
  const undo = seq === undefined ? -1 : upgrades.findIndex(({ cancellation }) => cancellation === seq);
  const cause = chainOf(upgrades, undo, -1).find(continuedCancelled);
  if (!cause) return false;
  return redone.includes(cause) || isOfUndo(cause.upgrade?.before?.cancellation, redone, upgrades);
}

interface Undo {
  /** Upgrades to undo, newest first. */
  readonly moved: readonly Order[];
  /** Earlier upgrades that are not returned. */
  readonly kept: readonly Order[];
  readonly upgrades: readonly Order[];
}

/**
 * Also reverts other effects of the upgrades: on a cancellation, a scheduled smaller plan, and a plan without payment.
 */
function undone(meter: Meter, { moved, kept, upgrades }: Undo, plan: PlanLimits, now: number): Meter {
  const scheduled = [meter.subscription?.pending, ...moved.map(({ upgrade }) => upgrade?.before?.pending)];
  const pending = scheduled.find((one) => one !== undefined && one.planRank < plan.rank);
  const replanned = changedTo(meter, plan, pending);
  const { paidUntil, ...free } = replanned.subscription;
  const isPaid = paidUntil !== undefined && moved.at(-1)?.upgrade?.before?.isPaid !== false;
  const collected = { ...replanned, subscription: { ...free, ...(isPaid && { paidUntil }) } };
  const wasCancelled = moved.some(
    (one) => continuedCancelled(one) && !isOfUndo(one.upgrade?.before?.cancellation, kept, upgrades),
  );
  return wasCancelled && free.status === 'active' ? cancelledAgain(collected, now) : collected;
}

/** An unpaid month stays past due, so that the plan continues if that dispute is won too. */
function cancelledAgain(meter: Meter & { readonly subscription: Subscription }, now: number): Meter {
  const endsAt = periodEnd(meter.period);
  const creditsExpireAt = Math.max(now + cancellationGraceSeconds, endsAt);
  const cancelled = cancelledAt(meter, { endsAt, creditsExpireAt });
  const { unpaidSince } = meter.subscription;
  if (!cancelled.subscription || unpaidSince === undefined) return cancelled;
  return { ...cancelled, subscription: { ...cancelled.subscription, unpaidSince } };
}

/** Revokes only a cancellation that an undone upgrade restored, and no later one of the owner. */
function doneAgain(meter: Meter, upgrades: readonly Order[], moved: readonly Order[], plan: PlanLimits): Meter {
  const resumes = isOfUndo(meter.subscription?.cancellation?.seq, moved, upgrades);
  const running = resumes ? withoutCancellation(meter) : meter;
  const pending = running.subscription?.pending;
  const isSmaller = pending !== undefined && pending.planRank < plan.rank;
  const changed = changedTo(running, plan, isSmaller ? pending : undefined);
  const { paidUntil = periodEnd(meter.period) } = changed.subscription;
  return { ...changed, subscription: { ...changed.subscription, paidUntil } };
}

/** Keeps the plan's terms even while the subscription is cancelled, because it can be resumed. */
function changedTo(
  { subscription, ...meter }: Meter,
  plan: PlanLimits,
  pending: Subscription['pending'],
): Meter & { readonly subscription: Subscription } {
  if (!subscription) throw new Error('there is no subscription to change');
  const changed = { ...withPlan(subscription, plan.name), ...(pending && { pending }) };
  return { ...onPlan({ ...meter, subscription: { ...changed, status: 'active' } }, plan), subscription: changed };
}

/** The plan of an upgrade, or for -1 the plan before all upgrades of the month. */
function planAfter(upgrades: readonly Order[], index: number, plans: Plans): PlanLimits | undefined {
  const kept = upgrades[index];
  const first = upgrades[0]?.upgrade;
  const rank = kept ? findPlan(kept.planId ?? '')?.rank : first?.fromRank;
  return rank === undefined ? undefined : asSold(plans(rank), kept ? kept.upgrade?.month : first?.from);
}

/** Paid cents, including the part from the customer's balance. */
export const paidOf = ({ chargedCents, cents, balanceCents = 0 }: Order): number =>
  (chargedCents ?? cents) + balanceCents;

export const isReturnedWhole = (order: Order, returned: number): boolean => returned > 0 && returned >= paidOf(order);

const isReturned = (order: Order): boolean =>
  isReturnedWhole(order, (order.refundedCents ?? 0) + (order.disputedCents ?? 0));

/** Orders of earlier versions have no `seq`. They are sorted by the second of their payment, then by creation. */
const byGrant = (one: Order, other: Order): number =>
  seqOf(one) - seqOf(other) || (one.paidAt ?? 0) - (other.paidAt ?? 0) || (one.id < other.id ? -1 : 1);

const seqOf = ({ upgrade }: Order): number => upgrade?.before?.seq ?? 0;

const isOfMonth = ({ upgrade }: Order, { anchor, index }: Meter['period']): boolean =>
  upgrade?.anchor === anchor && upgrade.index === index;
