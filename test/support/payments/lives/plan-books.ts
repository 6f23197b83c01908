import type { Order } from '#domain/payments/order.ts';
import type { AccountLife } from './account-life.ts';
import type { Invoice } from './bank.ts';
import type { LedgerLine } from './memory-stores.ts';
import { micro, orderOfInvoice, paidInvoices, planNames, rankOf, returned, type SoldPlan, versionOf } from './sold.ts';

/** Cents and credits of an upgrade are the same share of both differences, at one second. */
export function wrongUpgrade(life: AccountLife, order: Order, invoice: Invoice, granted: number): string[] {
  const { id, upgrade, createdAt, planId } = order;
  const to = upgrade?.month && versionOf(upgrade.month.cents, life);
  const from =
    upgrade?.fromRank === 1 ? { rank: 1, cents: 0, credits: 100 } : versionOf(upgrade?.from?.cents ?? 0, life);
  if (!upgrade || !to || !from || to.rank !== rankOf(planId) || from.rank !== upgrade.fromRank)
    return [`${id} has no terms`];
  if (isReplaced(to, createdAt / 1000, life)) return [`${id} bought terms that were not sold any more`];
  const [start, end] = [monthOf(upgrade, 0), monthOf(upgrade, 1)];
  const second = Math.floor(createdAt / 1000);
  for (let at = second - 10; at <= second; at++) {
    const share = (end - at) / (end - start);
    const cents = Math.round(Math.max(0, to.cents - from.cents) * share);
    const credits = Math.ceil((Math.max(0, to.credits - from.credits) * (end - at)) / (end - start));
    if (cents === invoice.cents && credits * micro === granted) return [];
  }
  return [`${id}: ${invoice.cents} cents bought ${granted / micro} credits of an upgrade`];
}

/** Whether a version was replaced before a purchase at a time in epoch seconds began. */
const isReplaced = (version: SoldPlan, at: number, { sold }: AccountLife): boolean =>
  sold.some(({ rank, from }) => rank === version.rank && from > version.from && from < at - 60);

function monthOf({ anchor, index }: { readonly anchor: number; readonly index: number }, later: number): number {
  const from = new Date(anchor * 1000);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + index + later];
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Date.UTC(year, month, Math.min(from.getUTCDate(), days));
  return day / 1000 + (anchor % 86_400);
}

/** Every paid month is granted once, with the credits of its price, and no month without money. */
export function wrongMonths(life: AccountLife): string[] {
  const problems: string[] = [];
  const months = paidInvoices(life).filter(({ period, cents }) => period !== undefined && cents > 0);
  const expected: number[] = [];
  for (const invoice of months) {
    const [order] = orderOfInvoice(life, invoice);
    if (!order || returned.has(order.failure ?? '') || invoice.period!.start > life.seconds) continue;
    expected.push((versionOf(invoice.cents, life)?.credits ?? 0) * micro);
    if (!order.period || order.period.start !== invoice.period!.start || order.period.end !== invoice.period!.end)
      problems.push(`${order.id} has another period than its invoice`);
  }
  let isFree = false;
  const granted: number[] = [];
  const upgrades = new MonthUpgrades<boolean>();
  for (const line of life.rows.ledger) {
    const { type, source, amount, change } = line;
    const wasFree = isFree;
    if (change?.kind === 'assigned') isFree = true;
    else if (change?.kind === 'subscribed' || change?.kind === 'upgraded') isFree = false;
    const { undone, redone } = upgrades.moved(line, wasFree);
    if (undone?.length) isFree = undone.at(-1)!.before;
    if (redone?.length) isFree = false;
    const isMonth = ['subscribed', 'renewed', 'downgraded'].includes(change?.kind ?? '');
    if (type === 'grant' && source === 'plan' && isMonth && !isFree && planNames.includes(change?.plan ?? ''))
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

const decisions = new Set(['subscribed', 'upgraded', 'downgrade_scheduled']);

/** A renewal costs what the owner last chose. Later prices do not apply to a running plan. */
export function wrongPrices(life: AccountLife): string[] {
  const renewals = [...life.rows.orders.values()].filter(
    ({ kind, state }) => kind === 'renewal' && state === 'granted',
  );
  return renewals.flatMap(({ id, cents, period }) => {
    const version = versionOf(cents, life);
    const chosen = life.rows.ledger.findLast(
      ({ at, change }) => at < period!.start && decisions.has(change?.kind ?? ''),
    );
    if (!version) return [`${id} has a price that was never sold`];
    return chosen && version.from <= chosen.at + 60 ? [] : [`${id} has a price that was never chosen`];
  });
}

const graceSeconds = 7 * 86_400;
const paying = new Set(['subscribed', 'assigned', 'renewed', 'replaced', 'paid', 'ended_unpaid']);

/** No plan continues for more than a week after its month was due, or its payment was returned. */
export function wrongGrace({ rows: { ledger, meter }, seconds }: AccountLife): string[] {
  const problems: string[] = [];
  let since: number | undefined;
  const check = (at: number) => {
    if (since !== undefined && at > since + graceSeconds)
      problems.push(`a plan continued unpaid from ${since} to ${at}`);
  };
  for (const { at, type, change, payment } of ledger) {
    if (!change) continue;
    check(at);
    const { kind } = change;
    if (kind === 'payment_due' || kind === 'payment_returned') since = at;
    const isEnd = kind === 'cancelled' && payment === undefined;
    if (paying.has(kind) || isEnd || (kind === 'downgraded' && type === 'grant')) since = undefined;
  }
  if (meter.subscription?.unpaidSince !== undefined) check(seconds);
  return problems;
}

/** The provider collects only for the meter's plan, with its price, end and months. */
export function wrongSubscription(life: AccountLife): string[] {
  const { bank, rows, seconds, isDeleted, sold } = life;
  const { subscription, period, planRank, terms } = rows.meter;
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
  const pending = subscription.pending ?? { planRank, terms };
  const next = sold.findLast(
    ({ rank, cents, credits }) =>
      rank === pending.planRank &&
      cents === Math.round((pending.terms?.price ?? 0) * 100) &&
      credits === pending.terms?.creditsPerMonth,
  );
  if (!next && pending.planRank > 1 && pending.planRank < 5) problems.push('the plan has terms that were never sold');
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

/** Changes after which a plan is not cancelled. An operator who assigns a cancelled plan again continues it. */
const continuing = new Set(['resumed', 'downgrade_scheduled', 'payment_due', 'assigned']);

interface MonthUpgrade<Fact> {
  readonly payment: string;
  readonly rank: number;
  /** The upgrade whose plan it replaced. */
  readonly base: MonthUpgrade<Fact> | undefined;
  /** The fact about the plan before the upgrade. */
  readonly before: Fact;
}

/** The upgrades of a month, and the one whose plan is in force. */
class MonthUpgrades<Fact> {
  #all: MonthUpgrade<Fact>[] = [];
  #top: MonthUpgrade<Fact> | undefined;

  /** Applies a ledger line. Returns the upgrades that it undoes or applies again, newest first, and the one then in force. */
  moved({ type, source, change, payment = '' }: LedgerLine, before: Fact) {
    const rank = rankOf(change?.plan);
    const isReversal = type === 'adjustment' && payment !== '';
    const from = this.#top;
    if (isReversal && change?.kind === 'upgraded') {
      this.#top = this.#all.find((one) => one.payment === payment);
      return { redone: this.#chain(this.#top, from) };
    }
    if (isReversal && change?.kind === 'downgraded') {
      this.#top = this.#all.findLast((one) => one !== from && one.payment !== payment && one.rank === rank);
      return { undone: this.#chain(from, this.#top), top: this.#top };
    }
    if (change?.kind === 'upgraded') this.#all.push((this.#top = { payment, rank, base: this.#top, before }));
    else if (change?.kind === 'payment_due' || change?.kind === 'assigned' || this.#isMonth(type, source, change)) {
      this.#all = [];
      this.#top = undefined;
    }
    return {};
  }

  #isMonth(type: LedgerLine['type'], source: LedgerLine['source'], change: LedgerLine['change']): boolean {
    return type === 'grant' && (source === 'free' || (source === 'plan' && change !== undefined));
  }

  #chain(from: MonthUpgrade<Fact> | undefined, to: MonthUpgrade<Fact> | undefined): MonthUpgrade<Fact>[] {
    const isEnd = !from || this.#all.indexOf(from) <= (to ? this.#all.indexOf(to) : -1);
    return isEnd ? [] : [from, ...this.#chain(from.base, to)];
  }
}

/** A cancellation, and the upgrade that had continued the plan if it was undone. */
interface CancelledBefore {
  readonly cause: MonthUpgrade<CancelledBefore | undefined> | undefined;
}

/**
 * Only an owner, the Dashboard or a returned upgrade cancels a plan. An upgrade that continued a cancelled plan cancels
 * it again when it is undone, and continues it when it is applied again.
 */
export function wrongCancellations({ bank, rows: { ledger }, mayCancel }: AccountLife): string[] {
  const problems: string[] = [];
  let cancelled: CancelledBefore | undefined;
  let cancellations = 0;
  const upgrades = new MonthUpgrades<CancelledBefore | undefined>();
  const isCausedBy = (one: CancelledBefore | undefined, causes: readonly unknown[]): boolean =>
    one?.cause !== undefined && (causes.includes(one.cause) || isCausedBy(one.cause.before, causes));
  for (const [index, line] of ledger.entries()) {
    const { type, change, payment } = line;
    const next = ledger[index + 1];
    const follows = (kind: string) => next?.change?.kind === kind && next.payment === payment;
    const { undone, redone, top } = upgrades.moved(line, cancelled);
    const cause = undone?.find(({ before }) => before && !isCausedBy(before, [top]));
    if (undone && !cancelled && follows('cancelled') !== (cause !== undefined))
      problems.push(`${payment} ${cause ? 'had continued' : 'had not continued'} a cancelled plan, and is undone`);
    if (redone && cancelled && follows('resumed') !== isCausedBy(cancelled, redone))
      problems.push(
        `${payment} is applied again, and ${follows('resumed') ? 'continues' : 'does not continue'} the plan`,
      );
    if (undone && cause && follows('cancelled')) cancelled = { cause };
    else if (change?.kind === 'cancelled' && payment === undefined) {
      cancelled = { cause: undefined };
      cancellations += 1;
    } else if (change && (type === 'grant' || continuing.has(change.kind))) cancelled = undefined;
  }
  // A subscription can end with its period just before a resumption reaches the provider.
  const ended = bank.subscriptions.values().filter(({ isEnded, endsWithPeriod }) => isEnded && endsWithPeriod);
  const allowed = mayCancel + [...ended].length;
  if (cancellations > allowed) problems.push(`${cancellations} cancellations, of which ${allowed} were requested`);
  return problems;
}
