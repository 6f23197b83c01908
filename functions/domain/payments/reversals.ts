import { findPlan, monthlyGrant, type PlanLimits, planOfRank, type Plans } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { withPlan } from '../billing/grants.ts';
import { addLot, changeLot, freeIn } from '../meter/lots.ts';
import type { Meter, Settled, SubscriptionChange } from '../meter/meter.ts';
import { counted, pastDueSeconds, periodStart } from '../meter/periods.ts';
import { onPlan } from '../meter/rate-window.ts';
import { asSold, fraudWarning, isOnHold, isWaiting, type Order, type OrderStore } from './order.ts';
import type { PaymentReport } from './provider.ts';
import type { SettlementParts } from './settlement.ts';

/**
 * Takes back credits in proportion to the refunded and disputed amount, and returns them if a refund fails
 * or a dispute is won (docs/payments.md#refunds-and-disputes). Only unspent credits are taken; the rest is the
 * order's shortfall. Repeating it changes nothing, because it compares totals.
 */
export function reversals({ store, metering, plans, clock, onChange, mark, align }: SettlementParts) {
  /** Granted upgrades of the order's month, in the sequence of their payments. */
  async function upgradesWith(order: Order, { period }: Meter): Promise<readonly Order[]> {
    if (!order.upgrade || !isOfMonth(order, period)) return [];
    const found = [order];
    const start = periodStart(period) * 1000;
    let cursor: string | undefined;
    do {
      const { items, next } = await store.page(order.accountId, { limit: 200, cursor });
      found.push(...items.filter((one) => one.id !== order.id && one.lot !== undefined && isOfMonth(one, period)));
      cursor = (items.at(-1)?.createdAt ?? 0) >= start && next !== null ? next : undefined;
    } while (cursor !== undefined);
    return found.toSorted(byPayment);
  }

  return async function reverse(order: Order, report: PaymentReport): Promise<Order | 'changed'> {
    const { refundedCents = 0, disputedCents = 0 } = report;
    const isKnown = refundedCents === (order.refundedCents ?? 0) && disputedCents === (order.disputedCents ?? 0);
    if (isKnown) return order;
    const wanted = creditsToTake(order, refundedCents + disputedCents);
    const isWhole = isReturnedWhole(order, refundedCents + disputedCents);
    const state = stateAfter(order, refundedCents, disputedCents);
    const { lot, taken = 0 } = order;
    const amounts = { state, refundedCents, disputedCents };
    const isPurged = (await metering.find(order.accountId)) === undefined;
    if (!lot || isPurged) {
      const after = await store.save(order, amounts);
      if (after) await onChange(after, order);
      return after ?? 'changed';
    }
    let isChanged = false;
    let change: Partial<Order> = amounts;
    const apply = async (meter: Meter): Promise<Settled> => {
      const upgrades = await upgradesWith(order, meter);
      const moved = movedCredits(
        meter,
        order,
        { amount: wanted - taken, isWhole, upgrades },
        {
          plans,
          now: Math.floor(clock.now() / 1000),
        },
      );
      const total = taken + moved.taken;
      change = { ...amounts, taken: total, shortfall: Math.max(0, wanted - total) };
      return moved.settled;
    };
    const changesPlan = order.period !== undefined || order.upgrade !== undefined;
    if (changesPlan) await mark(order.accountId);
    await metering.change(order.accountId, clock.now(), apply, async (before, after, entries) => {
      const outcome = await store.saveWithMeter(order, change, { before, after, entries });
      if (outcome === 'order changed') isChanged = true;
      return outcome !== 'meter changed';
    });
    if (isChanged) return 'changed';
    const after = (await store.find(order)) ?? order;
    await onChange(after, order);
    // The refund of a month can end the plan, which must not be charged again then.
    if (changesPlan) await align(order.accountId);
    return after;
  };
}

/** Microcredits. */
function creditsToTake(order: Order, returned: number): number {
  const charged = order.chargedCents ?? order.cents;
  if (charged === 0) return 0;
  const plan = order.period && findPlan(order.planId ?? '');
  const isUnlimited = order.credits === 0 && plan?.creditsPerMonth === null;
  const credits = isUnlimited ? monthlyGrant(plan) : order.credits;
  // Products of micro credits and cents exceed the integers that a number holds.
  return Number((BigInt(credits * microPerCredit) * BigInt(Math.min(returned, charged))) / BigInt(charged));
}

const isReturnedWhole = ({ chargedCents, cents }: Order, returned: number): boolean =>
  returned > 0 && returned >= (chargedCents ?? cents);

function stateAfter(order: Order, refundedCents: number, disputedCents: number): Order['state'] {
  if (disputedCents > 0) return 'disputed';
  if (isReturnedWhole(order, refundedCents)) return 'refunded';
  return isWaiting(order) ? 'paid' : 'granted';
}

/** `amount`: microcredits to take, or to return if negative. `isWhole`: whether the payment is returned in full now. */
interface Returned {
  readonly amount: number;
  readonly isWhole: boolean;
  /** Granted upgrades of the month, oldest first, with the order before this return. */
  readonly upgrades: readonly Order[];
}

type Whole = Omit<Returned, 'amount'>;

/** `now`: epoch seconds. */
interface Context {
  readonly plans: Plans;
  readonly now: number;
}

/** Takes (positive) or returns (negative) credits of the order's lot. */
function movedCredits(
  meter: Meter,
  order: Order,
  { amount, ...whole }: Returned,
  { plans, now }: Context,
): { taken: number; settled: Settled } {
  const source = order.kind === 'pack' || order.kind === 'top_up' ? 'purchase' : 'plan';
  const lot = { source, id: order.lot?.id ?? 0, expiresAt: order.lot?.expiresAt ?? 0 } as const;
  const taken = amount < 0 ? amount : Math.min(amount, freeIn(meter, lot), Math.max(0, meter.spendable));
  const moved = taken === 0 ? meter : changeLot(meter, lot, -taken);
  const after = order.upgrade
    ? returnedUpgrade(moved ?? meter, order, whole, plans)
    : returnedPlan(moved ?? meter, order, whole, now);
  const isLost = moved === undefined && lot.expiresAt <= now;
  if (moved === undefined && !isLost) {
    const granted = addLot(after, { source, expiresAt: lot.expiresAt, granted: -taken }, now);
    const entries = granted.entries.map((entry) => ({ ...entry, payment: order.id }));
    return { taken, settled: counted(meter, { ...granted, entries }, now) };
  }
  const entry = { type: 'adjustment', at: now, amount: isLost ? 0 : 0 - taken, payment: order.id } as const;
  const isSamePlan = after === (moved ?? meter);
  const change = isSamePlan ? {} : { change: order.upgrade ? upgradeChange(after, whole) : planChange(after) };
  return { taken, settled: counted(meter, { meter: after, entries: [{ ...entry, ...change }] }, now) };
}

/** A full refund of the current month makes the plan past due, until the refund fails or a dispute is won. */
function returnedPlan(meter: Meter, { period }: Order, { isWhole }: Whole, now: number): Meter {
  const { subscription } = meter;
  if (!period || subscription?.paidUntil !== period.end || period.end <= now) return meter;
  const { unpaidSince, ...paid } = subscription;
  if (isWhole === (unpaidSince !== undefined)) return meter;
  return { ...meter, subscription: isWhole ? { ...subscription, unpaidSince: now } : paid };
}

/**
 * A full refund of an upgrade undoes it in its month, until the refund fails or a dispute is won. The plan is that of
 * the latest upgrade that is not returned, because events of several returned ones arrive in any order.
 */
function returnedUpgrade(meter: Meter, order: Order, { isWhole, upgrades }: Whole, plans: Plans): Meter {
  const { subscription, planRank } = meter;
  const before = upgrades.findLast((one) => !isReturned(one));
  const after = upgrades.findLast((one) => (one.id === order.id ? !isWhole : !isReturned(one)));
  if (!subscription || before === after || planAfter(before, upgrades, plans)?.rank !== planRank) return meter;
  const plan = planAfter(after, upgrades, plans);
  if (!plan) return meter;
  const { pending } = subscription;
  const isPending = pending !== undefined && pending.planRank < plan.rank;
  const changed = { ...withPlan(subscription, plan.name), ...(isPending && { pending }) };
  return onPlan({ ...meter, subscription: changed }, plan);
}

/** The plan of an upgrade, or the one before all upgrades of the month. */
function planAfter(kept: Order | undefined, [first]: readonly Order[], plans: Plans): PlanLimits | undefined {
  const rank = kept ? findPlan(kept.planId ?? '')?.rank : first?.upgrade?.fromRank;
  return rank === undefined ? undefined : asSold(plans(rank), kept ? kept.upgrade?.month : first?.upgrade?.from);
}

const isReturned = (order: Order): boolean =>
  isReturnedWhole(order, (order.refundedCents ?? 0) + (order.disputedCents ?? 0));

/** Ids are in the sequence of creation. Stripe's times of payments are whole seconds. */
const byPayment = (one: Order, other: Order): number =>
  (one.paidAt ?? 0) - (other.paidAt ?? 0) || (one.id < other.id ? -1 : 1);

const isOfMonth = ({ upgrade }: Order, { anchor, index }: Meter['period']): boolean =>
  upgrade?.anchor === anchor && upgrade.index === index;

const upgradeChange = ({ planRank }: Meter, { isWhole }: Whole): SubscriptionChange => {
  return { kind: isWhole ? 'downgraded' : 'upgraded', plan: planOfRank(planRank).name };
};

function planChange({ subscription, planRank }: Meter): SubscriptionChange {
  const plan = planOfRank(planRank).name;
  const since = subscription?.unpaidSince;
  return since === undefined
    ? { kind: 'paid', plan }
    : { kind: 'payment_returned', plan, effectiveAt: since + pastDueSeconds };
}

/** Lets an account buy again after refunds, disputes and fraud warnings. Returns the number of cleared payments. */
export async function clearHold(store: OrderStore, accountId: number): Promise<number> {
  let cleared = 0;
  let cursor: string | undefined;
  do {
    const { items, next } = await store.page(accountId, { limit: 200, cursor });
    for (const order of items.filter(isOnHold)) {
      const failure = order.failure === fraudWarning ? { failure: 'fraud_cleared' } : {};
      if (await store.save(order, { shortfall: 0, ...failure })) cleared += 1;
    }
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return cleared;
}
