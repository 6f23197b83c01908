import { findPlan, monthlyGrant, planOfRank, type Plans } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { addLot, changeLot, freeIn } from '../meter/lots.ts';
import { isSubscribed, type LedgerEntry, type Meter, type Settled, type SubscriptionChange } from '../meter/meter.ts';
import { counted, pastDueSeconds, periodEnd } from '../meter/periods.ts';
import { fraudWarning, isOnHold, isWaiting, type Order, type OrderStore } from './order.ts';
import type { PaymentReport } from './provider.ts';
import { isReturnedWhole, paidOf, returnedUpgrade, type ReturnedUpgrade, upgradesWith } from './returned-upgrades.ts';
import type { SettlementParts } from './settlement.ts';

/**
 * Takes back credits in proportion to the refunded and disputed amount, and returns them if a refund fails
 * or a dispute is won (docs/payments.md#refunds-and-disputes). Only unspent credits are taken; the rest is the
 * order's shortfall. Repeating it changes nothing, because it compares totals.
 */
export function reversals({ store, metering, plans, clock, onChange, mark, align, stopTopUp }: SettlementParts) {
  return async function reverse(order: Order, report: PaymentReport): Promise<Order | 'changed'> {
    const { refundedCents = 0, disputedCents = 0 } = report;
    const isKnown = refundedCents === (order.refundedCents ?? 0) && disputedCents === (order.disputedCents ?? 0);
    // A renewal that waited for an earlier month may have been refunded in part before its credits were granted.
    const isTaken = order.lot === undefined || order.taken !== undefined || refundedCents + disputedCents === 0;
    if (isKnown && isTaken) return order;
    const wanted = creditsToTake(order, refundedCents + disputedCents);
    const isWhole = isReturnedWhole(order, refundedCents + disputedCents);
    const state = stateAfter(order, refundedCents, disputedCents);
    const { lot, taken = 0 } = order;
    const amounts = { state, refundedCents, disputedCents };
    const isPurged = (await metering.find(order.accountId)) === undefined;
    if (!lot || isPurged) {
      if (isKnown) return order;
      const after = await store.save(order, amounts);
      if (after) await onChange(after, order);
      return after ?? 'changed';
    }
    let isChanged = false;
    let change: Partial<Order> = amounts;
    const apply = async (meter: Meter): Promise<Settled> => {
      const upgrades = await upgradesWith(store, order, meter);
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
      const cancellation = order.upgrade && isWhole ? newCancellation(meter, moved.settled) : undefined;
      change = {
        ...amounts,
        taken: total,
        shortfall: Math.max(0, wanted - total),
        ...(cancellation !== undefined && { cancellation }),
      };
      return moved.settled;
    };
    if (isWhole || disputedCents > 0) await stopTopUp(order.accountId);
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
    // Refunding a month can end the plan, which must then not be charged again.
    if (changesPlan) await align(order.accountId);
    return after;
  };
}

/** Returns microcredits. */
function creditsToTake(order: Order, returned: number): number {
  const charged = paidOf(order);
  if (charged === 0) return 0;
  const plan = order.period && findPlan(order.planId ?? '');
  const isUnlimited = order.credits === 0 && plan?.creditsPerMonth === null;
  const credits = isUnlimited ? monthlyGrant(plan) : order.credits;
  // The product of microcredits and cents can exceed the safe integers.
  return Number((BigInt(credits * microPerCredit) * BigInt(Math.min(returned, charged))) / BigInt(charged));
}

function stateAfter(order: Order, refundedCents: number, disputedCents: number): Order['state'] {
  if (disputedCents > 0) return 'disputed';
  if (isReturnedWhole(order, refundedCents)) return 'refunded';
  return isWaiting(order) ? 'paid' : 'granted';
}

/** `amount`: microcredits to take, or to return if negative. */
interface Returned extends ReturnedUpgrade {
  readonly amount: number;
}

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
  const replanned = (current: Meter): Meter =>
    order.upgrade ? returnedUpgrade(current, order, whole, plans, now) : returnedPlan(current, order, whole, now);
  const changed = (current: Meter) => (taken === 0 ? current : changeLot(current, lot, -taken));
  // The lots of a resumption replace the others, so credits return after it, and are taken before a cancellation.
  const planned = taken < 0 ? replanned(meter) : meter;
  const moved = changed(planned);
  const after = taken < 0 ? (moved ?? planned) : replanned(moved ?? planned);
  const changes = planChanges(meter, after, order, whole, now);
  const isLost = moved === undefined && lot.expiresAt <= now;
  if (moved === undefined && !isLost) {
    const granted = addLot(after, { source, expiresAt: lot.expiresAt, granted: -taken }, now);
    const entries = [...granted.entries.map((entry) => ({ ...entry, payment: order.id })), ...changes];
    return { taken, settled: counted(meter, { ...granted, entries }, now) };
  }
  const [first = { type: 'adjustment', at: now, amount: 0, payment: order.id }, ...others] = changes;
  const entries = [{ ...first, amount: isLost ? 0 : 0 - taken }, ...others];
  return { taken, settled: counted(meter, { meter: after, entries }, now) };
}

/** A full refund of the current month makes the plan past due, until the refund fails or a dispute is won. */
function returnedPlan(meter: Meter, { period }: Order, { isWhole }: ReturnedUpgrade, now: number): Meter {
  const { subscription } = meter;
  if (!period || subscription?.paidUntil !== period.end || period.end <= now) return meter;
  const { unpaidSince, ...paid } = subscription;
  if (isWhole === (unpaidSince !== undefined)) return meter;
  return { ...meter, subscription: isWhole ? { ...subscription, unpaidSince: now } : paid };
}

/** Ledger entries of the plan's changes, without credits. */
function planChanges(
  before: Meter,
  after: Meter,
  { id, upgrade }: Order,
  { isWhole }: ReturnedUpgrade,
  now: number,
): LedgerEntry[] {
  const { subscription, planRank } = after;
  const plan = planOfRank(planRank).name;
  const changes: SubscriptionChange[] = [];
  if (upgrade && after.terms !== before.terms) changes.push({ kind: isWhole ? 'downgraded' : 'upgraded', plan });
  if (isSubscribed(before) && !isSubscribed(after))
    changes.push({ kind: 'cancelled', plan, effectiveAt: periodEnd(after.period) });
  if (!isSubscribed(before) && isSubscribed(after)) changes.push({ kind: 'resumed', plan });
  const since = subscription?.unpaidSince;
  if (since !== before.subscription?.unpaidSince)
    changes.push(
      since === undefined
        ? { kind: 'paid', plan }
        : { kind: 'payment_returned', plan, effectiveAt: since + pastDueSeconds },
    );
  return changes.map((change) => ({ type: 'adjustment', at: now, amount: 0, change, payment: id }));
}

function newCancellation(before: Meter, { meter: { subscription } }: Settled): number | undefined {
  const seq = subscription?.cancellation?.seq;
  return seq === before.subscription?.cancellation?.seq ? undefined : seq;
}

/**
 * Lets an account buy again after refunds, disputes and fraud warnings. `before` is called with the number of payments,
 * if there are any. Returns the number of cleared ones.
 */
export async function clearHold(
  store: OrderStore,
  accountId: number,
  before?: (holds: number) => Promise<unknown>,
): Promise<number> {
  const held: Order[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await store.page(accountId, { limit: 200, cursor });
    held.push(...items.filter(isOnHold));
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  if (held.length > 0) await before?.(held.length);
  let cleared = 0;
  for (const order of held) {
    const failure = order.failure === fraudWarning ? { failure: 'fraud_cleared' } : {};
    if (await store.save(order, { shortfall: 0, ...failure })) cleared += 1;
  }
  return cleared;
}
