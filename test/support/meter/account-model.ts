import { Grants, type Grant, monthsAfter, type Taken } from './account-grants.ts';

/**
 * Model of an account's credits, based only on docs/specification.md and docs/credits.md: a list of grants,
 * spent oldest expiry first, and a calendar. Amounts in microcredits, times in epoch seconds, UTC.
 */
export const listing = { freemium: 100, dev_pass: 5000, smm_pass: 25_000, pro_pass: 100_000 } as const;
export type PlanName = keyof typeof listing;
export type LimitPeriod = 'day' | 'month' | 'total';

const sizes = Object.keys(listing);
const isLarger = (one: PlanName, other: PlanName): boolean => sizes.indexOf(one) > sizes.indexOf(other);
const micro = (credits: number): number => credits * 1_000_000;
const thirtyDays = 30 * 86_400;

/** Ends of a cancelled subscription: of the paid month with the plan's limits, and of the credits. */
const never = { limits: Infinity, credits: Infinity };

export interface LedgerLine {
  readonly type: 'grant' | 'charge' | 'refund' | 'expiry' | 'adjustment';
  readonly at: number;
  readonly amount: number;
}

interface Hold {
  readonly amount: number;
  readonly deadline: number;
  readonly service: string;
  readonly budget?: { readonly period: LimitPeriod; readonly start: number };
  /** Recorded cost, charged if the call crashes. */
  readonly recorded?: number;
}

/** A charge that may be refunded. */
interface Charge extends Omit<Hold, 'deadline'> {
  readonly taken: Taken;
  readonly ifResumed: Taken;
  readonly cancellation: number | undefined;
  readonly month: readonly [number, number];
}

export class AccountModel {
  now: number;
  grants = new Grants();
  holds = new Map<string, Hold>();
  charges = new Map<string, Charge>();
  used = new Map<string, number>();
  ledger: LedgerLine[] = [];
  /** Spending of limited keys, one entry per period. */
  budgets = new Map<LimitPeriod, { start: number; used: number }>();
  /** Charged calls of the month, including open ones. */
  charged = 0;
  plan: PlanName = 'freemium';
  status: 'none' | 'active' | 'cancelled' = 'none';
  pending: PlanName | undefined;
  ends = never;
  month: [number, number];
  freeMonthsHad = 0;
  /** During a cancellation: the grants without the cancellation. */
  private uncancelled: Grants | undefined;
  /** How each cancellation ended. */
  private readonly cancellations: ('open' | 'undone' | 'final')[] = [];
  private ids = 0;
  /** Plan credits of the paid month, and the most expensive plan in it. */
  minted = { credits: 0, topPlan: 'freemium' as PlanName };
  readonly registered: number;
  readonly keyLimit: number;

  constructor(now: number, keyLimit = Infinity) {
    [this.now, this.registered, this.month, this.keyLimit] = [now, now, [now, 0], keyLimit];
    this.grantMonth();
  }

  get held(): number {
    return this.holds.values().reduce((sum, { amount }) => sum + amount, 0);
  }
  get lots() {
    return this.grants.shown();
  }
  get spendable(): number {
    return this.grants.left - this.held;
  }
  get calls(): number {
    return this.charged + this.holds.size;
  }
  get usedInMonth(): number {
    return this.used.values().reduce((sum, amount) => sum + amount, 0);
  }
  monthEnd(later = 0): number {
    return monthsAfter(this.month[0], this.month[1] + 1 + later);
  }
  /** The next time at which a change is due. */
  nextDue(): number {
    const expiries = this.grants.list.map(({ expiresAt }) => expiresAt).filter((at) => at > this.now);
    return Math.min(this.monthEnd(), this.ends.credits, ...expiries);
  }

  /** Crashed calls return their holds, less their recorded cost. Then credits expire and months end and begin, in order. */
  tick(now: number): void {
    this.now = now;
    for (const [id, { deadline, recorded = 0 }] of this.holds) if (deadline <= now) this.close(id, recorded);
    for (let turn = 0; (turn = Math.min(this.monthEnd(), this.ends.credits)) <= now;) {
      this.expire(turn);
      if (turn === this.ends.credits) this.endSubscription(turn);
      else this.endMonth(turn);
    }
    this.expire(now);
  }

  private endMonth(at: number): void {
    this.month = [this.month[0], this.month[1] + 1];
    this.resetCounters();
    if (this.status === 'cancelled') {
      this.plan = 'freemium';
      this.ends = { ...this.ends, limits: Infinity };
      return;
    }
    if (this.status === 'active') [this.plan, this.pending] = [this.pending ?? this.plan, undefined];
    this.grantMonth(at);
  }

  private endSubscription(at: number): void {
    [this.status, this.plan, this.ends] = ['none', 'freemium', never];
    this.resetCounters();
    this.makeFinal();
    for (this.month = [this.registered, 0]; this.monthEnd() <= at;) this.month = [this.registered, this.month[1] + 1];
    this.grantMonth(at);
  }

  private resetCounters(): void {
    this.used.clear();
    this.charged = 0;
  }

  private makeFinal(): void {
    if (this.uncancelled) this.cancellations[this.cancellations.length - 1] = 'final';
    this.uncancelled = undefined;
  }

  private grantMonth(at = this.now): void {
    if (this.status !== 'none') {
      this.minted = { credits: 0, topPlan: this.plan };
      return this.grant('plan', listing[this.plan], this.monthEnd(3), at);
    }
    const months = this.month[1] + 1;
    if (months > this.freeMonthsHad) this.grant('free', listing.freemium, this.monthEnd(), at);
    this.freeMonthsHad = Math.max(this.freeMonthsHad, months);
  }

  grant(source: Grant['source'], credits: number, expiresAt: number, at = this.now): void {
    const [id, amount] = [(this.ids += 1), micro(credits)];
    this.grants.add(id, source, amount, expiresAt);
    this.uncancelled?.add(id, source, amount, expiresAt);
    this.ledger.push({ type: 'grant', at, amount });
    if (source === 'plan') this.minted.credits += credits;
  }

  private expire(at: number): void {
    this.uncancelled?.expire(at, this.held);
    for (const expired of this.grants.expire(at, this.held))
      this.ledger.push({ type: 'expiry', at: expired.at, amount: -expired.amount });
  }

  admit(id: string, amount: number, deadline: number, service = 'chat', limited?: LimitPeriod): string {
    const budget = limited && { period: limited, start: startOf(limited, this.now) };
    const usedOfKey = budget ? this.usedOf(budget) : 0;
    if (budget && usedOfKey + amount > this.keyLimit) return 'KEY_LIMIT_EXCEEDED';
    if (amount > this.spendable) return 'INSUFFICIENT_CREDITS';
    if (budget) this.budgets.set(budget.period, { start: budget.start, used: usedOfKey + amount });
    this.holds.set(id, { amount, deadline, service, ...(budget && { budget }) });
    return 'done';
  }

  record(id: string, cost: number): void {
    const hold = this.holds.get(id);
    if (hold) this.holds.set(id, { ...hold, recorded: cost });
  }

  private usedOf({ period, start }: NonNullable<Hold['budget']>): number {
    const stored = this.budgets.get(period);
    return stored?.start === start ? stored.used : 0;
  }

  private returnToBudget(budget: Hold['budget'], amount: number): void {
    const stored = budget && this.budgets.get(budget.period);
    if (stored && stored.start === budget.start) stored.used -= amount;
  }

  settle(id: string, cost: number): void {
    if (this.holds.has(id)) this.close(id, cost);
    this.tick(this.now);
  }

  private close(id: string, cost: number): { hold: Hold; taken: Taken; ifResumed: Taken } {
    const hold = this.holds.get(id)!;
    const charge = Math.min(cost, hold.amount);
    this.holds.delete(id);
    this.used.set(hold.service, (this.used.get(hold.service) ?? 0) + charge);
    this.charged += charge > 0 ? 1 : 0;
    this.ledger.push({ type: 'charge', at: this.now, amount: -charge });
    this.returnToBudget(hold.budget, hold.amount - charge);
    const taken = this.grants.take(charge);
    return { hold, taken, ifResumed: this.uncancelled?.take(charge) ?? taken };
  }

  /** Settles a call in full, so that it may be refunded. */
  keep(id: string): boolean {
    const hold = this.holds.get(id);
    if (!hold) return false;
    const { taken, ifResumed } = this.close(id, hold.amount);
    const cancellation = this.uncancelled ? this.cancellations.length - 1 : undefined;
    this.charges.set(id, { ...hold, taken, ifResumed, cancellation, month: [...this.month] });
    this.tick(this.now);
    return true;
  }

  /** Refunds part of a charge, once, to the grants that it was taken from. */
  refund(id: string, amount: number): void {
    const charge = this.charges.get(id)!;
    this.charges.delete(id);
    const { taken, ifResumed, cancellation, month, service, budget } = charge;
    const fate = cancellation === undefined ? 'final' : this.cancellations[cancellation];
    const lost = this.grants.giveBack(fate === 'undone' ? ifResumed : taken, amount);
    this.uncancelled?.giveBack(fate === 'final' ? taken : ifResumed, amount);
    if (month[0] === this.month[0] && month[1] === this.month[1])
      this.used.set(service, Math.max(0, (this.used.get(service) ?? 0) - amount));
    this.returnToBudget(budget, amount);
    this.ledger.push({ type: 'refund', at: this.now, amount });
    if (lost > 0) this.ledger.push({ type: 'expiry', at: this.now, amount: -lost });
    this.expire(this.now);
  }

  /** The current month was already granted and continues. */
  subscribe(plan: PlanName): string {
    if (this.status === 'active') return 'ALREADY_SUBSCRIBED';
    return this.isMonthRunning() ? this.continueOn(plan) : this.start(plan);
  }

  private isMonthRunning(): boolean {
    return this.status === 'active' || this.ends.limits < Infinity;
  }

  private start(plan: PlanName): string {
    this.makeFinal();
    [this.status, this.plan, this.pending, this.month, this.ends] = ['active', plan, undefined, [this.now, 0], never];
    this.resetCounters();
    this.grantMonth();
    return 'done';
  }

  private continueOn(plan: PlanName): string {
    this.undoCancellation();
    if (isLarger(plan, this.plan)) return this.upgrade(plan);
    this.pending = plan === this.plan ? undefined : plan;
    return this.adjusted();
  }

  /** An operator assigns a plan. A different plan starts a new month. */
  assign(plan: PlanName): string {
    return plan === this.plan && this.isMonthRunning() ? this.continueOn(plan) : this.start(plan);
  }

  resume(): string {
    if (this.status === 'none') return 'NOT_FOUND';
    if (this.status === 'active' || !this.isMonthRunning()) return 'INVALID_STATE';
    this.undoCancellation();
    return this.adjusted();
  }

  private adjusted(): string {
    this.ledger.push({ type: 'adjustment', at: this.now, amount: 0 });
    return 'done';
  }

  private undoCancellation(): void {
    [this.status, this.ends] = ['active', never];
    if (!this.uncancelled) return;
    this.cancellations[this.cancellations.length - 1] = 'undone';
    this.grants = this.uncancelled;
    this.uncancelled = undefined;
  }

  upgrade(plan: PlanName): string {
    if (this.status !== 'active' || plan === this.plan) return 'INVALID_STATE';
    if (!isLarger(plan, this.plan)) return 'INVALID_FORMAT';
    const start = monthsAfter(this.month[0], this.month[1]);
    const share = [this.monthEnd() - this.now, this.monthEnd() - start] as const;
    const credits = Math.ceil(((listing[plan] - listing[this.plan]) * share[0]) / share[1]);
    [this.plan, this.pending, this.minted.topPlan] = [plan, undefined, plan];
    this.grant('plan', credits, this.monthEnd(3));
    return 'done';
  }

  downgrade(plan: PlanName): string {
    if (this.status !== 'active') return 'INVALID_STATE';
    if (isLarger(plan, this.plan)) return 'INVALID_FORMAT';
    if (plan === this.plan && this.pending === undefined) return 'INVALID_STATE';
    this.pending = plan === this.plan ? undefined : plan;
    return this.adjusted();
  }

  cancel(): string {
    if (this.status === 'none') return 'NOT_FOUND';
    if (this.status === 'cancelled') return 'INVALID_STATE';
    this.status = 'cancelled';
    this.ends = { limits: this.monthEnd(), credits: Math.max(this.now + thirtyDays, this.monthEnd()) };
    this.cancellations.push('open');
    this.uncancelled = this.grants.copy();
    this.grants.capPlan(this.ends.credits);
    return this.adjusted();
  }
}

/** Start of the current period of the limit. */
function startOf(period: LimitPeriod, at: number): number {
  const date = new Date(at * 1000);
  if (period === 'day') return date.setUTCHours(0, 0, 0, 0) / 1000;
  return period === 'total' ? 0 : Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
}
