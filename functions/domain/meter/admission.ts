import { planOfRank } from '#contract/billing/plans.ts';
import type { ServiceName } from '#contract/billing/prices.ts';
import { type RateLimit, ServiceError } from '../shared/service-error.ts';
import type { Meter } from './meter.ts';
import { rateStanding } from './rate-window.ts';
import { decimalCredits } from './receipt.ts';

/** Seconds that a hold outlives its function, so that a slow clock or a late settlement finds it still open. */
export const graceSeconds = 60;

/** A call to be admitted. `amount` in microcredits, `now` in epoch ms, `deadline` in epoch seconds. */
export interface Attempt {
  readonly accountId: number;
  /** Undefined when a person in a session calls. */
  readonly keyId: string | undefined;
  readonly requestId: string;
  readonly service: ServiceName;
  readonly model: string;
  readonly minPlanRank: number;
  readonly amount: number;
  /** A stream notes what it delivers, and can be cancelled. */
  readonly isStream?: boolean | undefined;
  readonly now: number;
  readonly deadline: number;
}

/** The refusal (402) of a call that may cost more than the account has; both in microcredits. */
export class InsufficientCredits extends ServiceError {
  readonly spendable: number;

  constructor(amount: number, spendable: number, rateLimit: RateLimit | undefined) {
    const detail = `The call may cost ${decimalCredits(amount)} credits and ${decimalCredits(spendable)} are left; upgrade the plan or wait for the next month.`;
    super('INSUFFICIENT_CREDITS', detail, { rateLimit });
    this.spendable = spendable;
  }
}

/** What became of an admission: the call runs, something must be settled first, or it is refused. */
export type Verdict = { is: 'admitted' | 'due'; meter: Meter } | { is: 'refused'; why: ServiceError };

/**
 * Reads the verdict from the item that the write met when it was not done, in the order of docs/design/http.md#order-whole: 401, 403, 429,
 * 402. A hold of this call shows that it is admitted, by an earlier try of ours whose reply was lost.
 */
export function verdictOn(meter: Meter | undefined, attempt: Attempt): Verdict {
  if (meter?.holds.has(attempt.requestId)) return { is: 'admitted', meter };
  if (!meter || !mayCall(meter, attempt)) return { is: 'refused', why: invalidKey() };
  if (meter.due * 1000 <= attempt.now || hasExpiredHold(meter, attempt.now)) return { is: 'due', meter };
  return { is: 'refused', why: refusal(meter, attempt) };
}

export function hasWorkingKey(meter: Meter, keyId: string, now: number): boolean {
  return meter.closed === undefined && (meter.keys.get(keyId) ?? 0) > Math.floor(now / 1000);
}

/** A session was checked before; a key is checked here. */
function mayCall(meter: Meter, { keyId, now }: Attempt): boolean {
  return keyId === undefined ? meter.closed === undefined : hasWorkingKey(meter, keyId, now);
}

export function hasExpiredHold(meter: Meter, now: number): boolean {
  return meter.holds.values().some((hold) => hold.deadline * 1000 <= now);
}

export function invalidKey(): ServiceError {
  return new ServiceError(
    'INVALID_API_KEY',
    'Send Authorization: Bearer and an API key that is active, or a session that has not ended where one is taken.',
  );
}

function refusal(meter: Meter, attempt: Attempt): ServiceError {
  const rateLimit = rateStanding(meter, attempt.now);
  if (meter.planRank < attempt.minPlanRank) return planTooSmall(attempt);
  if (rateLimit && rateLimit.retryAfterMs > 0) {
    const retryAfterSeconds = Math.ceil(rateLimit.retryAfterMs / 1000);
    const detail = `The plan allows ${rateLimit.limit} calls per minute; try again in ${retryAfterSeconds} s.`;
    return new ServiceError('RATE_LIMIT_EXCEEDED', detail, { rateLimit, retryAfterSeconds });
  }
  if (meter.holds.size >= meter.callsInFlight) {
    const detail = `The plan allows ${meter.callsInFlight} calls at the same time; wait for one to end.`;
    return new ServiceError('RATE_LIMIT_EXCEEDED', detail, { rateLimit, retryAfterSeconds: 1 });
  }
  if (meter.spendable < attempt.amount) {
    return new InsufficientCredits(attempt.amount, meter.spendable, rateLimit);
  }
  if (meter.callsThisMonth >= meter.callsPerMonth) {
    const detail = `The plan allows ${meter.callsPerMonth} calls per month; upgrade the plan or wait for the next month.`;
    return new ServiceError('INSUFFICIENT_CREDITS', detail, { rateLimit });
  }
  throw new Error('the admission was refused by a rule that the verdict does not know');
}

function planTooSmall(attempt: Attempt): ServiceError {
  const needed = planOfRank(attempt.minPlanRank).name;
  return new ServiceError('INSUFFICIENT_PERMISSIONS', `The model ${attempt.model} needs the plan ${needed} or above.`);
}
