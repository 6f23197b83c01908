import { soldPlans } from '#contract/billing/plans.ts';
import { microPerCredit, type ServiceName } from '#contract/billing/prices.ts';
import { RecentMap } from '../shared/recent-map.ts';
import { type RateLimit, ServiceError, unknownKey, unknownSession } from '../shared/service-error.ts';
import { ownCalls } from './lanes.ts';
import {
  type Budget,
  budgetAt,
  isSameLimit,
  type KeyLimits,
  limitsOf,
  nextPeriod,
  affordable,
  capEnd,
} from './limits.ts';
import type { Meter } from './meter.ts';
import { hasFeature } from './periods.ts';
import { decimalCredits, type PriceCode } from './pricing.ts';
import { rateStatus } from './rate-window.ts';

/** Seconds that a hold outlives its function, so that a slow clock or a late settlement still finds it open. */
export const graceSeconds = 60;

/** `amount` in microcredits, `now` in epoch ms, `deadline` in epoch seconds. */
export interface Attempt {
  readonly accountId: number;
  readonly keyId: string | undefined;
  readonly requestId: string;
  readonly service: ServiceName;
  readonly model: string;
  readonly minPlanRank: number;
  readonly amount: number;
  readonly price?: PriceCode | undefined;
  readonly isStream?: boolean | undefined;
  /** Whether a lane may admit the call: the settlement of its hold writes no other items. */
  readonly isInLane?: boolean | undefined;
  readonly now: number;
  readonly deadline: number;
  readonly keyLimits?: KeyLimits | undefined;
}

export type Use = Pick<Attempt, 'keyId' | 'service' | 'minPlanRank'> & { readonly model?: string | undefined };

/** 402 or 403 for a call that may cost more than `spendable` microcredits. */
export class Unaffordable extends ServiceError {
  readonly spendable: number;
  declare readonly code: 'INSUFFICIENT_CREDITS' | 'KEY_LIMIT_EXCEEDED';

  constructor(
    code: Unaffordable['code'],
    detail: string,
    { spendable, rateLimit }: { spendable: number; rateLimit: RateLimit | undefined },
  ) {
    super(code, detail, { rateLimit });
    this.spendable = spendable;
  }

  advising(advice: string): Unaffordable {
    return new Unaffordable(this.code, `${this.message} ${advice}`, this);
  }
}

/**
 * `due`: something must be settled first. `limits changed`: the cached key limits were outdated. `feature kept`: the
 * account bought the feature with a plan that no longer includes it.
 */
export type Verdict =
  | { is: 'admitted' | 'due'; meter: Meter }
  | { is: 'limits changed'; limits: KeyLimits | undefined }
  | { is: 'feature kept'; planRank: number }
  | { is: 'refused'; why: ServiceError };

/**
 * Derives the refusal from the item that failed the condition (docs/api.md#order-of-refusals). A hold with this
 * request id proves that an earlier attempt admitted the call.
 */
export function verdictOn(meter: Meter | undefined, attempt: Attempt, sellsCredits = false): Verdict {
  if (meter?.holds.has(attempt.requestId)) return { is: 'admitted', meter };
  if (!meter || !mayCall(meter, attempt))
    return { is: 'refused', why: attempt.keyId === undefined ? unknownSession() : unknownKey() };
  if (meter.due * 1000 <= attempt.now || hasExpiredHold(meter, attempt.now)) return { is: 'due', meter };
  const why = refusal(meter, attempt, sellsCredits);
  if (why) return { is: 'refused', why };
  if (meter.planRank < attempt.minPlanRank) return { is: 'feature kept', planRank: meter.planRank };
  const limits = limitsOf(keyOf(meter, attempt), meter.budgets);
  if (!isSameLimit(limits, attempt.keyLimits)) return { is: 'limits changed', limits };
  throw new Error('the admission was refused by a rule that the verdict does not know');
}

export function hasWorkingKey(meter: Meter, keyId: string, now: number): boolean {
  return meter.closed === undefined && (meter.keys.get(keyId)?.expiresAt ?? 0) > Math.floor(now / 1000);
}

export function budgetOf({ keyLimits, now }: Attempt): (Budget & { readonly id: string }) | undefined {
  const limit = keyLimits?.limit;
  return limit && { id: limit.budget, ...budgetAt(limit, keyLimits.stored, Math.floor(now / 1000)) };
}

const keyOf = (meter: Meter, { keyId }: Pick<Attempt, 'keyId'>) =>
  keyId === undefined ? undefined : meter.keys.get(keyId);

function mayCall(meter: Meter, { keyId, now }: Attempt): boolean {
  return keyId === undefined ? meter.closed === undefined : hasWorkingKey(meter, keyId, now);
}

export function hasExpiredHold(meter: Meter, now: number): boolean {
  return meter.holds.values().some((hold) => hold.deadline * 1000 <= now);
}

function refusal(meter: Meter, attempt: Attempt, sellsCredits: boolean): ServiceError | undefined {
  const rateLimit = rateStatus(meter, attempt.now);
  const forbidden = forbiddenBy(meter, attempt, rateLimit);
  if (forbidden) return forbidden;
  if (rateLimit && rateLimit.retryAfterMs > 0) {
    const retryAfterSeconds = Math.ceil(rateLimit.retryAfterMs / 1000);
    const detail = `The plan allows ${rateLimit.limit} calls per minute; try again in ${retryAfterSeconds} s.`;
    return new ServiceError('RATE_LIMIT_EXCEEDED', detail, { rateLimit, retryAfterSeconds });
  }
  if (meter.holds.size >= ownCalls(meter)) {
    const detail = `The plan allows ${meter.maxConcurrentCalls} concurrent calls; wait for one to end.`;
    return new ServiceError('RATE_LIMIT_EXCEEDED', detail, { rateLimit, retryAfterSeconds: 1 });
  }
  if (meter.spendable < attempt.amount) {
    const { spendable } = meter;
    const advice = sellsCredits ? 'Buy credits, upgrade' : 'Upgrade';
    const detail = `${needs(attempt)}; you have ${decimalCredits(spendable)} left. ${advice} the plan or wait for the next month.`;
    return new Unaffordable('INSUFFICIENT_CREDITS', detail, { spendable: left(meter), rateLimit });
  }
  if (affordable(meter) < attempt.amount) return aboveCap(meter, attempt, rateLimit);
  if (meter.callsThisMonth >= meter.callsPerMonth) {
    const detail = `The plan allows ${meter.callsPerMonth} calls per month; upgrade the plan or wait for the next month.`;
    return new ServiceError('INSUFFICIENT_CREDITS', detail, { rateLimit });
  }
  return undefined;
}

const left = (meter: Meter): number => Math.max(0, affordable(meter));

function aboveCap(meter: Meter, attempt: Attempt, rateLimit: RateLimit | undefined): ServiceError | undefined {
  if (!meter.cap) return undefined;
  const spendable = left(meter);
  const cap = `the account's spending cap of ${creditsOf(meter.cap.limit)} per month`;
  const reset = new Date(capEnd(meter.cap) * 1000).toISOString();
  const detail = `${needs(attempt)}, and ${cap} has ${decimalCredits(spendable)} left; it resets at ${reset}.`;
  return new Unaffordable('INSUFFICIENT_CREDITS', `${detail} Raise the cap or wait.`, { spendable, rateLimit });
}

function forbiddenBy(meter: Meter, attempt: Attempt, rateLimit: RateLimit | undefined): ServiceError | undefined {
  const use = forbiddenUse(meter, attempt);
  if (use) return use;
  const keyLimits = limitsOf(keyOf(meter, attempt), meter.budgets);
  const budget = budgetOf({ ...attempt, keyLimits });
  if (!budget || !keyLimits?.limit) return undefined;
  const { amount, period } = keyLimits.limit;
  const rest = Math.max(0, amount - budget.used);
  if (rest >= attempt.amount) return undefined;
  const next = nextPeriod(period, Math.floor(attempt.now / 1000));
  const reset = next === undefined ? 'it does not reset' : `it resets at ${new Date(next * 1000).toISOString()}`;
  const limit = `${creditsOf(amount)} ${next === undefined ? 'in total' : `per ${period}`}`;
  const detail = `${needs(attempt)}, and the key's limit of ${limit} has ${decimalCredits(rest)} left; ${reset}.`;
  return new Unaffordable('KEY_LIMIT_EXCEEDED', detail, { spendable: Math.min(rest, left(meter)), rateLimit });
}

/** 403 for a model outside the plan or the key's limits. Skips an unknown model. */
export const forbiddenUse = (meter: Meter, use: Use): ServiceError | undefined =>
  meter.planRank < use.minPlanRank && !isKept(meter, use) ? planTooSmall(use) : forbiddenToKey(meter, use);

const isKept = (meter: Meter, { service }: Use): boolean =>
  (service === 'sms' || service === 'voice_call') && hasFeature(meter, 'messages');

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

function notForKey(subject: string, allowed: readonly string[]): ServiceError {
  const detail = `The key may not use the ${subject}; it may use only: ${allowed.join(', ')}.`;
  return new ServiceError('INSUFFICIENT_PERMISSIONS', detail);
}

function planTooSmall({ model, service, minPlanRank }: Use): ServiceError {
  const subject = model === '' ? `service ${service}` : `model ${model}`;
  const needed = soldPlans.find(({ id }) => id >= minPlanRank)?.name;
  const detail =
    needed === undefined ? `No plan includes the ${subject}.` : `The ${subject} requires the plan ${needed} or above.`;
  return new ServiceError('INSUFFICIENT_PERMISSIONS', detail);
}

type Caller = Pick<Attempt, 'keyId'>;

const maxKnown = 1000;

/** Caches the limits of recent keys. An outdated entry costs a second write, never a wrong admission. */
export function knownLimits() {
  const byKey = new RecentMap<string, KeyLimits>(maxKnown);

  function learn({ keyId }: Caller, limits: KeyLimits | undefined): void {
    if (keyId !== undefined) byKey.set(keyId, limits);
  }

  return {
    of: (keyId: string | undefined) => (keyId === undefined ? undefined : byKey.get(keyId)),
    learn,
    admitted(attempt: Attempt): void {
      const stored = budgetOf(attempt);
      if (stored && attempt.keyLimits) learn(attempt, { ...attempt.keyLimits, stored });
    },
  };
}
