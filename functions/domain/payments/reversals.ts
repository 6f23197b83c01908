import { microPerCredit } from '#contract/billing/prices.ts';
import { addLot, freeIn, takeBack } from '../meter/lots.ts';
import type { LedgerEntry, Meter, Settled } from '../meter/meter.ts';
import { counted } from '../meter/periods.ts';
import type { Order } from './order.ts';
import type { PaymentReport } from './provider.ts';
import type { SettlementParts } from './settlement.ts';

/**
 * Takes credits back in proportion to the money that was refunded or is disputed, and returns them if a refund failed
 * or a dispute was won (docs/payments.md#refunds-and-disputes). Only unspent credits are taken; the rest is the
 * order's shortfall. Repeating it changes nothing, because it compares totals.
 */
export function reversals({ store, metering, clock, onChange }: SettlementParts) {
  return async function reverse(order: Order, report: PaymentReport): Promise<Order | 'changed'> {
    const refundedCents = Math.max(
      report.refundedCents ?? 0,
      order.failure === undefined ? 0 : (order.refundedCents ?? 0),
    );
    const disputedCents = report.disputedCents ?? 0;
    const isKnown = refundedCents === (order.refundedCents ?? 0) && disputedCents === (order.disputedCents ?? 0);
    if (isKnown) return order;
    const wanted = creditsToTake(order, refundedCents + disputedCents);
    const state = stateAfter(order, refundedCents, disputedCents);
    const { lotExpiresAt, taken = 0 } = order;
    const money = { state, refundedCents, disputedCents };
    if (lotExpiresAt === undefined) {
      const after = await store.save(order, money);
      if (after) await onChange(after, order);
      return after ?? 'changed';
    }
    let isChanged = false;
    let change: Partial<Order> = money;
    const apply = (meter: Meter): Settled => {
      const moved = movedCredits(meter, order, wanted - taken, Math.floor(clock.now() / 1000));
      const total = taken + moved.taken;
      change = { ...money, taken: total, shortfall: Math.max(0, wanted - total) };
      return moved.settled;
    };
    await metering.change(order.accountId, clock.now(), apply, async (before, after, entries) => {
      const outcome = await store.saveWithMeter(order, change, { before, after, entries });
      if (outcome === 'order changed') isChanged = true;
      return outcome !== 'meter changed';
    });
    if (isChanged) return 'changed';
    const after = (await store.find(order)) ?? order;
    await onChange(after, order);
    return after;
  };
}

/** Microcredits. */
function creditsToTake({ credits, chargedCents, cents }: Order, returned: number): number {
  const charged = chargedCents ?? cents;
  if (charged === 0) return 0;
  return Math.floor((credits * microPerCredit * Math.min(returned, charged)) / charged);
}

function stateAfter(order: Order, refundedCents: number, disputedCents: number): Order['state'] {
  if (disputedCents > 0) return 'disputed';
  if (refundedCents >= (order.chargedCents ?? order.cents) && refundedCents > 0) return 'refunded';
  return 'granted';
}

/** Takes (positive) or returns (negative) credits of the order's lot. */
function movedCredits(meter: Meter, order: Order, amount: number, now: number): { taken: number; settled: Settled } {
  const source = order.kind === 'pack' || order.kind === 'top_up' ? 'purchase' : 'plan';
  const lot = { source, expiresAt: order.lotExpiresAt ?? 0 } as const;
  if (amount < 0) {
    const isExpired = lot.expiresAt <= now;
    const returned = addLot(meter, { ...lot, granted: -amount }, now);
    const entries = returned.entries.map((entry) => ({ ...entry, payment: order.id }));
    const settled = isExpired ? { meter, entries: [noted(order, 0, now)] } : { ...returned, entries };
    return { taken: amount, settled: counted(meter, settled, now) };
  }
  const taken = Math.min(amount, freeIn(meter, lot), Math.max(0, meter.spendable));
  const after = taken > 0 ? takeBack(meter, lot, taken) : meter;
  return { taken, settled: counted(meter, { meter: after, entries: [noted(order, 0 - taken, now)] }, now) };
}

const noted = ({ id }: Order, amount: number, at: number): LedgerEntry => ({
  type: 'adjustment',
  at,
  amount,
  payment: id,
});
