import type { Order } from '#domain/payments/order.ts';
import type { AccountLife } from './account-life.ts';
import { monthlyLimit } from './acts.ts';
import { disputedOf, type Invoice, type Payment, refundedOf } from './bank.ts';
import type { LedgerLine } from './memory-stores.ts';

/** The price list of the specification: cents, and the credits that they buy. */
const packCredits = new Map([
  [500, 500],
  [2000, 3000],
  [6000, 10_000],
]);
const planCredits = new Map([
  ['dev_pass', { cents: 2999, credits: 5000 }],
  ['smm_pass', { cents: 9999, credits: 25_000 }],
  ['pro_pass', { cents: 29_999, credits: 100_000 }],
]);
const creditsOfMonth = new Map([...planCredits.values()].map(({ cents, credits }) => [cents, credits]));
const micro = 1_000_000;

/** Reasons for which money goes back without any credits. */
const returned = new Set([
  'account_deleted',
  'already_subscribed',
  'plan_changed',
  'plan_ended',
  'plan_repeated',
  'paid_differs',
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
    ...wrongSubscription(life),
    ...wrongCancellations(life),
    ...wrongLedger(life),
    ...wrongTopUps(life),
  ];
}

/** Invoices that were paid, in money or by carrying a small sum. */
const paidInvoices = ({ bank }: AccountLife): Invoice[] =>
  [...bank.invoices.values()].filter(({ status, cents, period, reason }) => {
    return status === 'paid' && !(reason === 'subscription_create' && period === undefined && cents === 0);
  });

function orderOfInvoice({ rows, bank }: AccountLife, invoice: Invoice): Order[] {
  const tag =
    invoice.order ??
    (invoice.reason === 'subscription_create' ? bank.subscriptions.get(invoice.subscription ?? '')?.order : undefined);
  if (tag) return [...rows.orders.values()].filter(({ id }) => id === tag.id);
  return [...rows.orders.values()].filter(
    ({ kind, provider }) => kind === 'renewal' && provider.invoice === invoice.id,
  );
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
    if (kind === 'upgrade' && granted > 0) problems.push(...wrongUpgrade(order, invoice, granted));
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

/** Cents and credits of an upgrade are the same share of both differences, at one second. */
function wrongUpgrade({ id, upgrade, createdAt, planId = '' }: Order, invoice: Invoice, granted: number): string[] {
  const to = planCredits.get(planId);
  const from = [undefined, { cents: 0, credits: 100 }, ...planCredits.values()][upgrade?.fromRank ?? 0];
  if (!to || !from || !upgrade) return [`${id} has no terms`];
  const [start, end] = [monthOf(upgrade, 0), monthOf(upgrade, 1)];
  const second = Math.floor(createdAt / 1000);
  for (let at = second - 10; at <= second; at++) {
    const share = (end - at) / (end - start);
    const cents = Math.round((to.cents - from.cents) * share);
    const credits = Math.ceil(((to.credits - from.credits) * (end - at)) / (end - start));
    if (cents === invoice.cents && credits * micro === granted) return [];
  }
  return [`${id}: ${invoice.cents} cents bought ${granted / micro} credits of an upgrade`];
}

function monthOf({ anchor, index }: { readonly anchor: number; readonly index: number }, later: number): number {
  const from = new Date(anchor * 1000);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + index + later];
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Date.UTC(year, month, Math.min(from.getUTCDate(), days));
  return day / 1000 + (anchor % 86_400);
}

/** The taken credits plus the shortfall are the returned share of the credits. */
function wrongReturn(life: AccountLife, order: Order, invoice: Invoice, entries: readonly LedgerLine[]): string[] {
  const payment = life.bank.payments.get(invoice.payment ?? '');
  if (!payment || !order.lot) return [];
  const back = Math.min(returnedOf(payment), payment.cents);
  const due = Math.floor((order.credits * micro * back) / priceOf(payment, invoice));
  const { taken = 0, shortfall = 0 } = order;
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

/** Every paid month is granted once, with the credits of its price, and no month without money. */
function wrongMonths(life: AccountLife): string[] {
  const problems: string[] = [];
  const months = paidInvoices(life).filter(({ period, cents }) => period !== undefined && cents > 0);
  const expected: number[] = [];
  for (const invoice of months) {
    const [order] = orderOfInvoice(life, invoice);
    if (!order || returned.has(order.failure ?? '') || invoice.period!.start > life.seconds) continue;
    expected.push((creditsOfMonth.get(invoice.cents) ?? 0) * micro);
    if (!order.period || order.period.start !== invoice.period!.start || order.period.end !== invoice.period!.end)
      problems.push(`${order.id} has another period than its invoice`);
  }
  let isFree = false;
  const granted: number[] = [];
  const upgrades = new MonthUpgrades();
  for (const line of life.rows.ledger) {
    const { type, source, amount, change } = line;
    const wasFree = isFree;
    if (change?.kind === 'assigned') isFree = true;
    else if (change?.kind === 'subscribed' || change?.kind === 'upgraded') isFree = false;
    isFree ||= upgrades.undoneBy(line, wasFree);
    const isMonth = ['subscribed', 'renewed', 'downgraded'].includes(change?.kind ?? '');
    if (type === 'grant' && source === 'plan' && isMonth && !isFree && planCredits.has(change?.plan ?? ''))
      granted.push(amount);
  }
  const [one, other] = [expected, granted].map((amounts) =>
    amounts
      .map((amount) => amount / micro)
      .toSorted((a, b) => a - b)
      .join(' '),
  );
  if (one !== other) problems.push(`months paid: ${one}; months granted: ${other}`);
  for (const first of months)
    for (const second of months)
      if (
        first.id < second.id &&
        first.subscription === second.subscription &&
        first.period!.start === second.period!.start
      )
        problems.push(`${first.id} and ${second.id} are for the same month`);
  return problems;
}

/** The provider collects only for the meter's plan, with its price, end and months. */
function wrongSubscription({ bank, rows, seconds, isDeleted }: AccountLife): string[] {
  const { subscription, period, planRank } = rows.meter;
  const running = [...bank.subscriptions.values()].filter(({ isEnded }) => !isEnded);
  const ids = running.map(({ id }) => id).join(' ');
  const isCollected =
    !isDeleted && subscription?.paidUntil !== undefined && (subscription.endsAt ?? Infinity) > seconds;
  // Nobody can pay the draft of an ended subscription.
  const open = [...bank.invoices.values()].filter((one) => one.subscription !== undefined && one.status === 'open');
  const wrong = open.filter((one) => !running.some(({ id }) => id === one.subscription));
  const problems = wrong.map(({ id }) => `${id} of an ended subscription can be paid`);
  if (!isCollected) return running.length === 0 ? problems : [...problems, `${ids} collects for no plan`];
  if (subscription.unpaidSince !== undefined) return [...problems, 'the month is not paid'];
  const isCancelled = subscription.status === 'cancelled';
  const next = [...planCredits.values()][(subscription.pending?.planRank ?? planRank) - 2];
  const [one] = running;
  if (running.length > 1) return [...problems, `${ids} collect for one plan`];
  if (!one) return isCancelled || !next ? problems : [...problems, 'nothing collects for the plan'];
  if (one.id !== rows.profile.subscription)
    problems.push(`${one.id} collects, but ${rows.profile.subscription} is stored`);
  if (one.endsWithPeriod !== (isCancelled || !next))
    problems.push(`${one.id} ends with its period: ${one.endsWithPeriod}`);
  if (next && one.cents !== next.cents)
    problems.push(`${one.id} collects ${one.cents} cents, the plan costs ${next.cents}`);
  if (one.period.end !== subscription.paidUntil)
    problems.push(`${one.id} is paid until ${one.period.end}, the plan until ${subscription.paidUntil}`);
  if (one.anchor !== period.anchor)
    problems.push(`${one.id} counts from ${one.anchor}, the plan from ${period.anchor}`);
  return problems;
}

/** The upgrades of a month, each with a fact about the plan before it. */
class MonthUpgrades {
  #upgrades: { readonly rank: number; readonly before: boolean; isUndone: boolean }[] = [];

  /** Notes a line. Returns whether it undoes an upgrade before which the fact was true. */
  undoneBy({ type, source, change, payment }: LedgerLine, before: boolean): boolean {
    const rank = [...planCredits.keys()].indexOf(change?.plan ?? '');
    const isReversal = type === 'adjustment' && payment !== undefined;
    if (isReversal && change?.kind === 'upgraded') {
      for (const one of this.#upgrades) if (one.rank <= rank) one.isUndone = false;
    } else if (isReversal && change?.kind === 'downgraded') {
      const undone = this.#upgrades.filter((one) => !one.isUndone && one.rank > rank);
      for (const one of undone) one.isUndone = true;
      return undone.some((one) => one.before);
    } else if (change?.kind === 'upgraded') this.#upgrades.push({ rank, before, isUndone: false });
    else if ((type === 'grant' && source !== 'purchase') || change?.kind === 'payment_due') this.#upgrades = [];
    return false;
  }
}

/**
 * Only an owner, the Dashboard or a returned upgrade cancels a plan. An upgrade that continued a cancelled plan cancels
 * it again when it is undone.
 */
function wrongCancellations({ bank, rows: { ledger }, mayCancel }: AccountLife): string[] {
  const problems: string[] = [];
  let isCancelled = false;
  let cancellations = 0;
  const upgrades = new MonthUpgrades();
  for (const [index, line] of ledger.entries()) {
    const { type, change, payment } = line;
    const again = ledger[index + 1]?.change?.kind === 'cancelled';
    if (upgrades.undoneBy(line, isCancelled) && !isCancelled && !again)
      problems.push(`${payment} had continued a cancelled plan, and is undone without a cancellation`);
    if (change?.kind === 'cancelled') {
      isCancelled = true;
      if (payment === undefined) cancellations += 1;
    } else if (change && (type === 'grant' || ['resumed', 'downgrade_scheduled', 'payment_due'].includes(change.kind)))
      isCancelled = false;
  }
  // A subscription can end with its period just before a resumption reaches the provider.
  const ended = bank.subscriptions.values().filter(({ isEnded, endsWithPeriod }) => isEnded && endsWithPeriod);
  const allowed = mayCancel + [...ended].length;
  if (cancellations > allowed) problems.push(`${cancellations} cancellations, of which ${allowed} were requested`);
  return problems;
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
