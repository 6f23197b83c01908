import type { Random } from '../../shared/ports.ts';
import type { AttemptResult } from '../delivery.ts';
import type { Health } from '../webhook.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** After each failed attempt of a delivery the wait for the next one; after the last there is none. */
const scheduleMs = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, day];

/** A wait is longer by up to this part of it, so that what failed together does not come together again. */
const jitter = 0.1;

/** A webhook may not have us wait for longer. */
const maxRetryAfterMs = day;

/** Failed attempts in a row after which a webhook is sent one delivery at a time. */
const failuresUntilProbing = 3;
const firstPauseMs = 5 * second;
const maxPauseMs = 5 * minute;

/** A webhook whose attempts have all failed for so long is disabled. */
const disabledAfterMs = 5 * day;

export const isSuccess = ({ status = 0 }: AttemptResult): boolean => status >= 200 && status < 300;

/** The receiver's statement that the webhook is no more (RFC 9110, 15.5.11). */
export const isGone = ({ status }: AttemptResult): boolean => status === 410;

/** When a delivery is tried again after so many failed attempts (epoch ms); undefined when it is given up. */
export function nextAttempt(tries: number, result: AttemptResult, now: number, random: Random): number | undefined {
  const wait = scheduleMs[tries - 1];
  if (wait === undefined) return undefined;
  return now + Math.max(Math.round(wait * (1 + jitter * fraction(random))), retryAfter(result));
}

/**
 * After a failed attempt. Where the webhook keeps failing, or requests it, nothing is sent to it for a while. What was sent to it beside each
 * other, before it was known to fail, does not make that longer.
 */
export function healthAfterFailure(before: Health, result: AttemptResult, now: number): Health {
  const { failures, failingSince, pausedUntil = 0 } = before;
  const isBesideOthers = isProbing(before) && pausedUntil > now;
  const count = isBesideOthers ? failures : failures + 1;
  const growing = firstPauseMs * 2 ** (count - failuresUntilProbing);
  const pause = Math.max(count < failuresUntilProbing ? 0 : Math.min(growing, maxPauseMs), retryAfter(result));
  return {
    failures: count,
    failingSince: failingSince ?? now,
    ...((pause > 0 || pausedUntil > now) && { pausedUntil: Math.max(pausedUntil, now + pause) }),
  };
}

export const hasFailedForLong = ({ failingSince }: Health, now: number): boolean =>
  failingSince !== undefined && now >= failingSince + disabledAfterMs;

export const isProbing = ({ failures }: Health): boolean => failures >= failuresUntilProbing;

const retryAfter = ({ retryAfterMs = 0 }: AttemptResult): number =>
  Math.min(Math.max(0, retryAfterMs), maxRetryAfterMs);

/** From 0 up to 1. */
function fraction(random: Random): number {
  const [high = 0, low = 0] = random.bytes(2);
  return (high * 256 + low) / 65_536;
}
