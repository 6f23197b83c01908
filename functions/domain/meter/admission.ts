import { planOfRank } from '#contract/billing/plans.ts';
import { microPerCredit, type ServiceName } from '#contract/billing/prices.ts';
import { type RateLimit, ServiceError, unknownKey, unknownSession } from '../shared/service-error.ts';
import { type Budget, budgetAt, isSameLimit, type KeyLimits, limitsOf, nextPeriod } from './key-limits.ts';
import type { Meter } from './meter.ts';
import { decimalCredits } from './pricing.ts';
import { rateStanding } from './rate-window.ts';

/** Seconds that a hold outlives its function, so that a slow clock or a late settlement finds it still open. */
export const graceSeconds = 60;

/** A call to be admitted. `amount` in microcredits, `now` in epoch ms, `deadline` in epoch seconds. */
export interface Attempt {
  readonly accountId: number;
  /** Undefined when a person in a session calls. */
  readonly keyId: string | undefined;
  readonly requestId: string;
  readonly service: ServiceName;
  /** Empty of a call without a model. */
  readonly model: string;
  readonly minPlanRank: number;
  readonly amount: number;
  /** A stream notes what it delivers, and can be cancelled. */
  readonly isStream?: boolean | undefined;
  readonly now: number;
  readonly deadline: number;
  /** What is known of the key's limits, where it has some. */
  readonly keyLimits?: KeyLimits | undefined;
}

/** What a call uses, as far as that is known. */
export type Use = Pick<Attempt, 'keyId' | 'service' | 'minPlanRank'> & { readonly model?: string | undefined };

/** The refusal (402 or 403) of a call that may cost more than may be spent on it; `spendable` in microcredits. */
export class Unaffordable extends ServiceError {
  readonly spendable: number;

  constructor(
    code: 'INSUFFICIENT_CREDITS' | 'KEY_LIMIT_EXCEEDED',
    detail: string,
    { spendable, rateLimit }: { spendable: number; rateLimit: RateLimit | undefined },
  ) {
    super(code, detail, { rateLimit });
    this.spendable = spendable;
  }
}

/** What became of an admission: the call runs, something must be settled first, the key has other limits than was known, or it is refused. */
export type Verdict =
  | { is: 'admitted' | 'due'; meter: Meter }
  | { is: 'limited otherwise'; limits: KeyLimits | undefined }
  | { is: 'refused'; why: ServiceError };

/**
 * Reads the verdict from the item that the write met when it was not done, in the order of docs/api.md#order-of-refusals: 401, 403, 429,
 * 402. A hold of this call shows that it is admitted, by an earlier try of ours whose reply was lost.
 */
export function verdictOn(meter: Meter | undefined, attempt: Attempt): Verdict {
  if (meter?.holds.has(attempt.requestId)) return { is: 'admitted', meter };
  if (!meter || !mayCall(meter, attempt))
    return { is: 'refused', why: attempt.keyId === undefined ? unknownSession() : unknownKey() };
  if (meter.due * 1000 <= attempt.now || hasExpiredHold(meter, attempt.now)) return { is: 'due', meter };
  const why = refusal(meter, attempt);
  if (why) return { is: 'refused', why };
  const limits = limitsOf(keyOf(meter, attempt), meter.budgets);
  if (!isSameLimit(limits, attempt.keyLimits)) return { is: 'limited otherwise', limits };
  throw new Error('the admission was refused by a rule that the verdict does not know');
}

export function hasWorkingKey(meter: Meter, keyId: string, now: number): boolean {
  return meter.closed === undefined && (meter.keys.get(keyId)?.expiresAt ?? 0) > Math.floor(now / 1000);
}

/** The budget that a call takes from, as it is at its time. */
export function budgetOf({ keyLimits, now }: Attempt): (Budget & { readonly id: string }) | undefined {
  const limit = keyLimits?.limit;
  return limit && { id: limit.budget, ...budgetAt(limit, keyLimits.stored, Math.floor(now / 1000)) };
}

const keyOf = (meter: Meter, { keyId }: Pick<Attempt, 'keyId'>) =>
  keyId === undefined ? undefined : meter.keys.get(keyId);

/** A session was checked before; a key is checked here. */
function mayCall(meter: Meter, { keyId, now }: Attempt): boolean {
  return keyId === undefined ? meter.closed === undefined : hasWorkingKey(meter, keyId, now);
}

export function hasExpiredHold(meter: Meter, now: number): boolean {
  return meter.holds.values().some((hold) => hold.deadline * 1000 <= now);
}

/** The first rule that refuses the call, if one does. */
function refusal(meter: Meter, attempt: Attempt): ServiceError | undefined {
  const rateLimit = rateStanding(meter, attempt.now);
  const forbidden = forbiddenBy(meter, attempt, rateLimit);
  if (forbidden) return forbidden;
  if (rateLimit && rateLimit.retryAfterMs > 0) {
    const retryAfterSeconds = Math.ceil(rateLimit.retryAfterMs / 1000);
    const detail = `The plan allows ${rateLimit.limit} calls per minute; try again in ${retryAfterSeconds} s.`;
    return new ServiceError('RATE_LIMIT_EXCEEDED', detail, { rateLimit, retryAfterSeconds });
  }
  if (meter.holds.size >= meter.maxConcurrentCalls) {
    const detail = `The plan allows ${meter.maxConcurrentCalls} concurrent calls; wait for one to end.`;
    return new ServiceError('RATE_LIMIT_EXCEEDED', detail, { rateLimit, retryAfterSeconds: 1 });
  }
  if (meter.spendable < attempt.amount) {
    const { spendable } = meter;
    const detail = `${needs(attempt)}; you have ${decimalCredits(spendable)} left. Upgrade the plan or wait for the next month.`;
    return new Unaffordable('INSUFFICIENT_CREDITS', detail, { spendable, rateLimit });
  }
  if (meter.callsThisMonth >= meter.callsPerMonth) {
    const detail = `The plan allows ${meter.callsPerMonth} calls per month; upgrade the plan or wait for the next month.`;
    return new ServiceError('INSUFFICIENT_CREDITS', detail, { rateLimit });
  }
  return undefined;
}

/** The refusal (403) by the plan, or by what the key is limited to. */
function forbiddenBy(meter: Meter, attempt: Attempt, rateLimit: RateLimit | undefined): ServiceError | undefined {
  const use = forbiddenUse(meter, attempt);
  if (use) return use;
  const keyLimits = limitsOf(keyOf(meter, attempt), meter.budgets);
  const budget = budgetOf({ ...attempt, keyLimits });
  if (!budget || !keyLimits?.limit) return undefined;
  const { amount, period } = keyLimits.limit;
  const left = Math.max(0, amount - budget.used);
  if (left >= attempt.amount) return undefined;
  const next = nextPeriod(period, Math.floor(attempt.now / 1000));
  const reset = next === undefined ? 'it does not reset' : `it resets at ${new Date(next * 1000).toISOString()}`;
  const limit = `${creditsOf(amount)} ${next === undefined ? 'in total' : `per ${period}`}`;
  const detail = `${needs(attempt)}, and the key's limit of ${limit} has ${decimalCredits(left)} left; ${reset}.`;
  return new Unaffordable('KEY_LIMIT_EXCEEDED', detail, { spendable: Math.min(left, meter.spendable), rateLimit });
}

/** The refusal (403) of a model that the plan does not have, or of a model or service that the key is not for; a model that is not known yet is not looked at. */
export const forbiddenUse = (meter: Meter, use: Use): ServiceError | undefined =>
  meter.planRank < use.minPlanRank ? planTooSmall(use) : forbiddenToKey(meter, use);

/** Of a session nothing is: its person may do what the account may. */
export function forbiddenToKey(meter: Meter, use: Use): ServiceError | undefined {
  const { model, service } = use;
  const key = keyOf(meter, use);
  if (model && key?.models && !key.models.includes(model)) return notForKey(`model ${model}`, key.models);
  if (key?.services && !key.services.includes(service)) return notForKey(`service ${service}`, key.services);
  return undefined;
}

const needs = ({ amount }: Attempt): string => `This call needs up to ${creditsOf(amount)}`;

const creditsOf = (micro: number): string =>
  `${decimalCredits(micro)} ${micro === microPerCredit ? 'credit' : 'credits'}`;

function notForKey(what: string, allowed: readonly string[]): ServiceError {
  const detail = `The key may not use the ${what}; it may use only: ${allowed.join(', ')}.`;
  return new ServiceError('INSUFFICIENT_PERMISSIONS', detail);
}

function planTooSmall({ model, service, minPlanRank }: Use): ServiceError {
  const needed = planOfRank(minPlanRank).name;
  const what = model === '' ? `service ${service}` : `model ${model}`;
  return new ServiceError('INSUFFICIENT_PERMISSIONS', `The ${what} needs the plan ${needed} or above.`);
}

type Caller = Pick<Attempt, 'keyId'>;

/** Keys whose limits a process remembers. */
const maxKnown = 1000;

/**
 * The limits of the keys that called lately, so that the first write of a call is the right one: what is not known, or has changed,
 * costs a second write, never a wrong admission. Only keys that work get here.
 */
export function knownLimits() {
  const byKey = new Map<string, KeyLimits>();

  function learn({ keyId }: Caller, limits: KeyLimits | undefined): void {
    if (keyId === undefined) return;
    byKey.delete(keyId);
    if (limits) byKey.set(keyId, limits);
    const [oldest] = byKey.size > maxKnown ? byKey.keys() : [];
    if (oldest !== undefined) byKey.delete(oldest);
  }

  return {
    of: (keyId: string | undefined) => (keyId === undefined ? undefined : byKey.get(keyId)),
    learn,
    /** A call was admitted, which may have begun a new period. */
    admitted(attempt: Attempt): void {
      const stored = budgetOf(attempt);
      if (stored && attempt.keyLimits) learn(attempt, { ...attempt.keyLimits, stored });
    },
  };
}
