import { byExpiry, type Grant, monthsAfter, together } from './account-grants.ts';

/**
 * What an account's money should be, written from docs/specification.md and docs/design/billing.md and from nothing else: a list
 * of grants, spent oldest expiry first, and a calendar. Amounts in microcredits, moments in epoch seconds, UTC.
 */
export const listing = { freemium: 100, dev_pass: 5000, smm_pass: 25_000, pro_pass: 100_000 } as const;
export type PlanName = keyof typeof listing;

const sizes = Object.keys(listing);
const isLarger = (one: PlanName, other: PlanName): boolean => sizes.indexOf(one) > sizes.indexOf(other);
const micro = (credits: number): number => credits * 1_000_000;
const thirtyDays = 30 * 86_400;

/** When a cancelled subscription ends: the month that was paid for, the plan's limits with it, and its credits. */
const never = { paid: Infinity, limits: Infinity, credits: Infinity };

export class AccountModel {
  now: number;
  grants: Grant[] = [];
  holds = new Map<string, { amount: number; deadline: number }>();
  used = 0;
  /** Calls of the month that were charged; those that run count too. */
  charged = 0;
  plan: PlanName = 'freemium';
  status: 'none' | 'active' | 'cancelled' = 'none';
  pending: PlanName | undefined;
  ends = never;
  month: number[];
  freeMonthsHad = 0;
  /** While it is cancelled: the grants as if it were not, which a resumption goes back to, and the month that was paid for. */
  private uncancelled: Grant[] | undefined;
  private paidMonth: number[] = [];
  /** Plan credits of the month that was paid for, and the dearest plan that was taken in it. */
  minted = { credits: 0, dearest: 'freemium' as PlanName };
  /** What was ever granted, charged and expired. */
  totals = { grant: 0, charge: 0, expiry: 0 };
  readonly registered: number;

  constructor(now: number) {
    [this.now, this.registered, this.month] = [now, now, [now, 0]];
    this.grantMonth();
  }

  get held(): number {
    return this.holds.values().reduce((sum, { amount }) => sum + amount, 0);
  }
  /** The grants as they are shown. */
  get lots() {
    return together(this.grants).map(({ source, granted, left, expiresAt }) => ({ source, granted, left, expiresAt }));
  }
  get balance(): number {
    return this.grants.reduce((sum, { left }) => sum + left, 0);
  }
  get spendable(): number {
    return this.balance - this.held;
  }
  get calls(): number {
    return this.charged + this.holds.size;
  }
  monthEnd(later = 0): number {
    return monthsAfter(this.month[0]!, this.month[1]! + 1 + later);
  }

  /** Dead calls give back what they held; credits expire, months end and begin, one after another. */
  tick(now: number): void {
    this.now = now;
    for (const [id, { deadline }] of this.holds) if (deadline <= now) this.holds.delete(id);
    for (let turn = 0; (turn = Math.min(this.monthEnd(), this.ends.credits, this.ends.limits)) <= now;) {
      this.expire(turn);
      if (turn === this.ends.limits) this.endLimits();
      if (turn === this.ends.credits) this.endSubscription(turn);
      else if (turn === this.monthEnd()) this.endMonth();
    }
    this.expire(now);
  }

  private endMonth(): void {
    this.month = [this.month[0]!, this.month[1]! + 1];
    [this.used, this.charged] = [0, 0];
    if (this.status === 'cancelled') return;
    if (this.status === 'active') [this.plan, this.pending] = [this.pending ?? this.plan, undefined];
    this.grantMonth();
  }

  /** When the paid month ends, be that before or after the credits do. */
  private endLimits(): void {
    [this.plan, this.charged] = ['freemium', 0];
    this.ends = { ...this.ends, limits: Infinity };
  }

  private endSubscription(at: number): void {
    [this.status, this.used] = ['none', 0];
    if (this.ends.limits === Infinity) this.charged = 0;
    this.ends = { ...this.ends, credits: Infinity };
    this.grants = together(this.grants);
    this.uncancelled = undefined;
    for (this.month = [this.registered, 0]; this.monthEnd() <= at;) this.month = [this.registered, this.month[1]! + 1];
    this.grantMonth();
  }

  private grantMonth(): void {
    if (this.status !== 'none') {
      this.minted = { credits: 0, dearest: this.plan };
      return this.grant('plan', listing[this.plan], this.monthEnd(3));
    }
    const months = this.month[1]! + 1;
    if (months > this.freeMonthsHad) this.grant('free', listing.freemium, this.monthEnd());
    this.freeMonthsHad = Math.max(this.freeMonthsHad, months);
  }

  grant(source: Grant['source'], credits: number, expiresAt: number): void {
    const amount = micro(credits);
    this.grants.sort(byExpiry);
    const same = this.grants.findIndex((one) => one.source === source && one.until === expiresAt);
    const one = this.grants[same];
    if (one) this.grants[same] = { ...one, granted: one.granted + amount, left: one.left + amount };
    else this.grants.push({ source, granted: amount, left: amount, expiresAt, until: expiresAt });
    this.grants.sort(byExpiry);
    this.totals.grant += amount;
    if (source === 'plan') this.minted.credits += credits;
    if (this.uncancelled) this.uncancelled = this.grants.map((grant) => ({ ...grant, expiresAt: grant.until }));
  }

  private expire(at: number): void {
    this.totals.expiry += this.expireOf(this.grants, at);
    if (this.uncancelled) this.expireOf(this.uncancelled, at);
    this.grants = this.grants.filter(({ left }) => left > 0);
  }

  /** Credits that open calls hold, counted from the oldest grant on, stay until the call ends. */
  private expireOf(grants: Grant[], at: number): number {
    let [held, expired] = [this.held, 0];
    for (const grant of grants.sort(byExpiry)) {
      const kept = Math.min(held, grant.left);
      held -= kept;
      if (grant.expiresAt > at) continue;
      expired += grant.left - kept;
      grant.left = kept;
    }
    return expired;
  }

  admit(id: string, amount: number, deadline: number): string {
    if (amount > this.spendable) return 'INSUFFICIENT_CREDITS';
    this.holds.set(id, { amount, deadline });
    return 'done';
  }

  settle(id: string, cost: number): void {
    const hold = this.holds.get(id);
    if (!hold) return;
    this.holds.delete(id);
    this.used += Math.min(cost, hold.amount);
    this.charged += Math.min(cost, hold.amount) > 0 ? 1 : 0;
    this.totals.charge += Math.min(cost, hold.amount);
    for (const grants of [this.grants, this.uncancelled ?? []]) {
      let toTake = Math.min(cost, hold.amount);
      for (const grant of grants.sort(byExpiry)) {
        const taken = Math.min(toTake, grant.left);
        grant.left -= taken;
        toTake -= taken;
      }
    }
    this.tick(this.now);
  }

  /** A month that runs was granted: it goes on. */
  subscribe(plan: PlanName): string {
    if (this.status === 'active') return 'ALREADY_SUBSCRIBED';
    if (this.ends.limits < Infinity) {
      this.undoCancellation();
      if (isLarger(plan, this.plan)) return this.upgrade(plan);
      this.pending = plan === this.plan ? undefined : plan;
      return 'done';
    }
    [this.status, this.plan, this.pending, this.month] = ['active', plan, undefined, [this.now, 0]];
    [this.used, this.charged, this.ends] = [0, 0, never];
    this.grants = together(this.grants);
    this.uncancelled = undefined;
    this.grantMonth();
    return 'done';
  }

  resume(): string {
    if (this.status === 'active') return 'INVALID_STATE';
    if (this.ends.limits === Infinity) return this.status === 'none' ? 'NOT_FOUND' : 'INVALID_STATE';
    this.undoCancellation();
    return 'done';
  }

  private undoCancellation(): void {
    [this.status, this.month, this.ends] = ['active', this.paidMonth, never];
    this.grants = (this.uncancelled ?? this.grants).filter(({ left }) => left > 0);
    this.uncancelled = undefined;
  }

  upgrade(plan: PlanName): string {
    if (this.status !== 'active' || plan === this.plan) return 'INVALID_STATE';
    if (!isLarger(plan, this.plan)) return 'INVALID_FORMAT';
    const start = monthsAfter(this.month[0]!, this.month[1]!);
    const share = [this.monthEnd() - this.now, this.monthEnd() - start] as const;
    const credits = Math.ceil(((listing[plan] - listing[this.plan]) * share[0]) / share[1]);
    [this.plan, this.pending, this.minted.dearest] = [plan, undefined, plan];
    this.grant('plan', credits, this.monthEnd(3));
    return 'done';
  }

  downgrade(plan: PlanName): string {
    if (this.status !== 'active') return 'INVALID_STATE';
    if (isLarger(plan, this.plan)) return 'INVALID_FORMAT';
    if (plan === this.plan && this.pending === undefined) return 'INVALID_STATE';
    this.pending = plan === this.plan ? undefined : plan;
    return 'done';
  }

  cancel(): string {
    if (this.status === 'none') return 'NOT_FOUND';
    if (this.status === 'cancelled') return 'INVALID_STATE';
    [this.status, this.paidMonth] = ['cancelled', this.month];
    this.ends = { paid: this.monthEnd(), limits: this.monthEnd(), credits: this.now + thirtyDays };
    this.uncancelled = structuredClone(this.grants);
    for (const grant of this.grants) {
      if (grant.source === 'plan') grant.expiresAt = Math.min(grant.expiresAt, this.ends.credits);
    }
    this.grants.sort(byExpiry);
    return 'done';
  }
}
