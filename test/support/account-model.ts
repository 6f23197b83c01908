/**
 * What an account's money should be, written from the specification and design section 3 and from nothing else: a list
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

interface Grant {
  readonly source: 'free' | 'plan' | 'purchase';
  readonly granted: number;
  left: number;
  expiresAt: number;
}

/** So many months later, on the last day where the month is too short. */
export function monthsAfter(moment: number, months: number): number {
  const from = new Date(moment * 1000);
  for (let day = from.getUTCDate(); ; day--) {
    const date = new Date(from);
    date.setUTCFullYear(from.getUTCFullYear(), from.getUTCMonth() + months, day);
    if (date.getUTCDate() === day) return date.getTime() / 1000;
  }
}

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
    for (let turn = 0; (turn = Math.min(this.monthEnd(), this.ends.credits, this.ends.limits)) <= now; ) {
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
    this.plan = this.pending ?? this.plan;
    this.pending = undefined;
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
    for (this.month = [this.registered, 0]; this.monthEnd() <= at; ) this.month = [this.registered, this.month[1]! + 1];
    this.grantMonth();
  }

  private grantMonth(): void {
    if (this.status !== 'none') return this.grant('plan', listing[this.plan], this.monthEnd(3));
    const months = this.month[1]! + 1;
    if (months > this.freeMonthsHad) this.grant('free', listing.freemium, this.monthEnd());
    this.freeMonthsHad = Math.max(this.freeMonthsHad, months);
  }

  grant(source: Grant['source'], credits: number, expiresAt: number): void {
    this.grants.push({ source, granted: micro(credits), left: micro(credits), expiresAt });
    this.grants.sort((one, other) => one.expiresAt - other.expiresAt);
    this.totals.grant += micro(credits);
    this.grants = this.grants.filter(({ left }) => left > 0);
  }

  /** Credits that open calls hold, counted from the oldest grant on, stay until the call ends. */
  private expire(at: number): void {
    let held = this.held;
    for (const grant of this.grants) {
      const kept = Math.min(held, grant.left);
      held -= kept;
      if (grant.expiresAt > at) continue;
      this.totals.expiry += grant.left - kept;
      grant.left = kept;
    }
    this.grants = this.grants.filter(({ left }) => left > 0);
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
    let toTake = Math.min(cost, hold.amount);
    for (const grant of this.grants) {
      const taken = Math.min(toTake, grant.left);
      grant.left -= taken;
      toTake -= taken;
    }
    this.tick(this.now);
  }

  subscribe(plan: PlanName): string {
    if (this.status === 'active') return 'ALREADY_SUBSCRIBED';
    const isPaid = this.now < this.ends.paid && this.ends.paid < Infinity;
    const hadItsMonth = isPaid && this.plan === 'freemium' && plan === 'freemium';
    [this.status, this.plan, this.used, this.month] = ['active', plan, 0, [this.now, 0]];
    this.ends = never;
    if (hadItsMonth) return 'done';
    this.charged = 0;
    this.grantMonth();
    return 'done';
  }

  upgrade(plan: PlanName): string {
    if (this.status !== 'active' || plan === this.plan) return 'INVALID_STATE';
    if (!isLarger(plan, this.plan)) return 'INVALID_FORMAT';
    const start = monthsAfter(this.month[0]!, this.month[1]!);
    const share = [this.monthEnd() - this.now, this.monthEnd() - start] as const;
    const credits = Math.ceil(((listing[plan] - listing[this.plan]) * share[0]) / share[1]);
    [this.plan, this.pending] = [plan, undefined];
    this.grant('plan', credits, this.monthEnd(3));
    return 'done';
  }

  downgrade(plan: PlanName): string {
    if (this.status !== 'active' || plan === this.plan) return 'INVALID_STATE';
    if (isLarger(plan, this.plan)) return 'INVALID_FORMAT';
    this.pending = plan;
    return 'done';
  }

  cancel(): string {
    if (this.status === 'none') return 'NOT_FOUND';
    if (this.status === 'cancelled') return 'INVALID_STATE';
    [this.status, this.pending] = ['cancelled', undefined];
    this.ends = { paid: this.monthEnd(), limits: this.monthEnd(), credits: this.now + thirtyDays };
    for (const grant of this.grants) {
      if (grant.source === 'plan') grant.expiresAt = Math.min(grant.expiresAt, this.ends.credits);
    }
    this.grants.sort((one, other) => one.expiresAt - other.expiresAt);
    return 'done';
  }
}
