import { dayMs, hourMs, minuteMs, doublingPause } from '#contract/shared/time.ts';
import type { Random } from '../shared/ports.ts';
import type { AttemptResult } from './delivery.ts';
import type { Health } from './webhook.ts';

const second = 1000;

const scheduleMs = [5 * second, 5 * minuteMs, 30 * minuteMs, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs)];

/** Lengthens waits by up to this share, so that simultaneous failures are not retried simultaneously. */
const jitter = 0.1;

const maxRetryAfterMs = dayMs;

/** Consecutive failures after which a webhook receives one delivery at a time. */
const failuresUntilProbing = 3;
const pauseMs = { first: 5 * second, max: 5 * minuteMs } as const;

/** A webhook is disabled after failing continuously for this long. */
const disabledAfterMs = 5 * dayMs;

export const isSuccess = ({ status = 0 }: AttemptResult): boolean => status >= 200 && status < 300;

/** Tells the sender to stop permanently (RFC 9110, 15.5.11). */
export const isGone = ({ status }: AttemptResult): boolean => status === 410;

export function nextAttempt(tries: number, result: AttemptResult, now: number, random: Random): number | undefined {
  const wait = scheduleMs[tries - 1];
  if (wait === undefined) return undefined;
  return now + Math.max(Math.round(wait * (1 + jitter * fraction(random))), retryAfter(result));
}

/** Pauses a failing webhook. Concurrent attempts started before the pause do not extend it. */
export function healthAfterFailure(before: Health, result: AttemptResult, now: number): Health {
  const { failures, failingSince, pausedUntil = 0 } = before;
  const isConcurrentFailure = isProbing(before) && pausedUntil > now;
  const count = isConcurrentFailure ? failures : failures + 1;
  const growing = doublingPause(count - failuresUntilProbing + 1, pauseMs);
  const pause = Math.max(count < failuresUntilProbing ? 0 : growing, retryAfter(result));
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

function fraction(random: Random): number {
  const [high = 0, low = 0] = random.bytes(2);
  return (high * 256 + low) / 65_536;
}
