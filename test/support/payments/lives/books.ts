import type { Order } from '#domain/payments/order.ts';
import type { AccountLife } from './account-life.ts';
import { disputedOf, type Invoice, type Payment, refundedOf } from './bank.ts';
import type { LedgerLine } from './memory-stores.ts';
import {
  wrongCancellations,
  wrongGrace,
  wrongMonths,
  wrongPrices,
  wrongSubscription,
  wrongUpgrade,
} from './plan-books.ts';
import { micro, monthlyLimit, orderOfInvoice, paidInvoices, returned } from './sold.ts';

/** The price list of the specification: cents, and the credits that they buy. */
const packCredits = new Map([
  [500, 500],
  [2000, 3000],
  [6000, 10_000],
]);
/**
 * Compares the provider's books with the service's rows of a settled life, and returns the problems. It shares no code
 * with the service: it has its own prices, and money and credits must match.
 */
export function wrongBooks(life: AccountLife): string[] {
  return [
    ...wrongPayments(life),
    ...wrongOrders(life),
    ...wrongMonths(life),
    ...wrongPrices(life),
    ...wrongGrace(life),
    ...wrongSubscription(life),
    ...wrongCancellations(life),
    ...wrongLedger(life),
    ...wrongTopUps(life),
    ...wrongAddress(life),
  ];
}

const returnedOf = (payment: Payment): number => refundedOf(payment) + disputedOf(payment);

/** Cents that were paid for an invoice. The customer's balance can add to a payment, or lower it. */
const priceOf = (payment: Payment, invoice: Invoice): number => Math.max(payment.cents, invoice.cents);

/** Every payment belongs to one order, which has its credits unless the money went back. */
function wrongPayments(life: AccountLife): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const payment of life.bank.payments.values()) {
    const invoice = life.bank.invoices.get(payment.invoice ?? '');
    if (!invoice) {
      problems.push(`${payment.id} has no invoice`);
      continue;
    }
    const [order, second] = orderOfInvoice(life, invoice);
    const back = returnedOf(payment);
    if (!order || second) {
      if (back < payment.cents)
        problems.push(`${payment.id} of ${payment.cents} cents (${invoice.reason}) has no order`);
      continue;
    }
    if (seen.has(order.id)) problems.push(`${order.id} was charged twice`);
    seen.add(order.id);
    const due =
      back >= priceOf(payment, invoice)
        ? ['refunded', 'disputed']
        : disputedOf(payment) > 0
          ? ['disputed']
          : ['granted'];
    if (
      returned.has(order.failure ?? '') &&
      back < payment.cents &&
      payment.refunds.every(({ hasFailed }) => !hasFailed)
    )
      problems.push(`${order.id} (${order.failure}) kept ${payment.cents - back} cents`);
    if (!returned.has(order.failure ?? '') && !due.includes(order.state))
      problems.push(
        `${order.id} (${order.kind}) is ${order.state} (${order.failure}), ${back} of ${payment.cents} went back`,
      );
  }
  return problems;
}

const entriesOf = ({ rows }: AccountLife, { id }: Order): LedgerLine[] =>
  rows.ledger.filter(({ payment }) => payment === id);

/** Every order has exactly the credits of its payment, and no order is stuck. */
function wrongOrders(life: AccountLife): string[] {
  const problems: string[] = [];
  const paid = new Map(
    paidInvoices(life).flatMap((invoice) => orderOfInvoice(life, invoice).map(({ id }) => [id, invoice] as const)),
  );
  for (const order of life.rows.orders.values()) {
    const { id, kind, state } = order;
    const entries = entriesOf(life, order);
    const grants = entries.filter(({ type }) => type === 'grant');
    const invoice = paid.get(id);
    if (!invoice) {
      if (entries.length > 0) problems.push(`${id} (${kind}) changed credits without a payment`);
      if (!['failed', 'expired'].includes(state)) problems.push(`${id} (${kind}) is ${state} without a payment`);
      continue;
    }
    const [{ amount: granted } = { amount: 0 }, ...others] = grants;
    // Credits come back as a new lot if the old one has expired early, because the plan was cancelled.
    const back = entries.reduce((sum, { type, amount }) => sum + (type === 'adjustment' ? amount : 0), 0);
    if (back + others.reduce((sum, { amount }) => sum + amount, 0) > 0)
      problems.push(`${id} (${kind}) was granted again`);
    if (kind === 'pack' || kind === 'top_up') {
      const due = (packCredits.get(invoice.cents) ?? 0) * micro;
      if (!returned.has(order.failure ?? '') && granted !== due)
        problems.push(`${id} (${kind}) granted ${granted}, paid ${due}`);
    }
    if (kind === 'upgrade' && granted > 0) problems.push(...wrongUpgrade(life, order, invoice, granted));
    if (returned.has(order.failure ?? '') && state === 'granted')
      problems.push(`${id} (${kind}) is granted, but was refused: ${order.failure}`);
    const isCarried = invoice.payment === undefined && invoice.cents > 0;
    if (isCarried && state === 'refunded' && !life.bank.credits.has(`${id}-return-carried`))
      problems.push(`${id} is refunded, but its ${invoice.cents} cents are charged with the next invoice`);
    problems.push(...wrongReturn(life, order, invoice, entries));
  }
  const unpaid = life.rows.ledger.filter(
    ({ type, source, payment }) => type === 'grant' && source === 'purchase' && payment === undefined,
  );
  if (unpaid.length > 0) problems.push(`${unpaid.length} purchased grants have no payment`);
  return problems;
}

/** The taken credits plus the shortfall are the returned share of the credits. */
function wrongReturn(life: AccountLife, order: Order, invoice: Invoice, entries: readonly LedgerLine[]): string[] {
  const payment = life.bank.payments.get(invoice.payment ?? '');
  if (!payment || !order.lot) return [];
  const back = Math.min(returnedOf(payment), payment.cents);
  const due = Math.floor((order.credits * micro * back) / priceOf(payment, invoice));
  const { taken = 0, shortfall = 0 } = order;
  const isSpent = life.hasSpent || life.rows.ledger.some(({ type }) => type === 'expiry');
  if (shortfall > 0 && !isSpent) return [`${order.id} is short of ${shortfall}, but nothing was spent`];
  const isCleared = life.isHoldCleared && shortfall === 0 && taken < due;
  if (taken + shortfall !== due && !isCleared)
    return [
      `${order.id}: ${back} of ${payment.cents} cents went back; took ${taken}, short of ${shortfall}, due ${due}`,
    ];
  const isExpired =
    order.lot.expiresAt <= life.seconds ||
    life.rows.ledger.some(({ change }) => change?.kind === 'cancelled' || change?.kind === 'ended_unpaid');
  const moved = 0 - entries.reduce((sum, { type, amount }) => sum + (type === 'adjustment' ? amount : 0), 0);
  const readded = entries.filter(({ type }) => type === 'grant').length > 1;
  if (!isExpired && !readded && moved !== taken) return [`${order.id} says it took ${taken}, the ledger ${moved}`];
  return [];
}

/** The ledger adds up to the balance, which the lots contain. */
function wrongLedger({ rows }: AccountLife): string[] {
  const problems: string[] = [];
  const { meter, ledger } = rows;
  const sum = ledger.reduce((total, { amount }) => total + amount, 0);
  if (sum !== meter.spendable) problems.push(`the ledger adds up to ${sum}, the balance is ${meter.spendable}`);
  if (meter.spendable < 0) problems.push('the balance is negative');
  if (ledger.some(({ seq }, index) => seq !== index + 1) || ledger.length !== meter.seq)
    problems.push('the ledger has gaps');
  const lots = meter.lots.reduce((total, { remaining }) => total + remaining, 0);
  if (lots < meter.spendable) problems.push(`the lots have ${lots}, the balance is ${meter.spendable}`);
  return problems;
}

function wrongTopUps(life: AccountLife): string[] {
  const spent = new Map<string, number>();
  for (const invoice of paidInvoices(life)) {
    const [order] = orderOfInvoice(life, invoice);
    if (order?.kind !== 'top_up' || returned.has(order.failure ?? '') || order.state === 'refunded') continue;
    const month = new Date(order.createdAt).toISOString().slice(0, 7);
    spent.set(month, (spent.get(month) ?? 0) + order.cents);
  }
  return [...spent]
    .filter(([, cents]) => cents > monthlyLimit)
    .map(([month, cents]) => `topped up ${cents} cents in ${month}`);
}

/** The customer has the address of the organization's owner. */
function wrongAddress({ bank, rows, address, isAddressLost, isDeleted }: AccountLife): string[] {
  const customer = bank.customers.get(rows.profile.customer ?? '');
  if (!customer || isDeleted || isAddressLost || customer.email === address) return [];
  return [`the customer has the address ${customer.email}, the owner ${address}`];
}
