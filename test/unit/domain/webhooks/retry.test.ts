import { describe, expect, it } from 'vitest';
import { type Health, healthy } from '#domain/webhooks/webhook.ts';
import { hasFailedForLong, healthAfterFailure, isProbing, isSuccess, nextAttempt } from '#domain/webhooks/worker.ts';

const now = Date.UTC(2027, 2, 1);
const failed = { durationMs: 5, status: 500 };
const drawing = (high: number) => ({ bytes: (size: number) => new Uint8Array(size).fill(high) });
const [none, max] = [drawing(0), drawing(255)];
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const schedule = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];

describe('a failed delivery', () => {
  it('is retried on the schedule, plus up to a tenth, and discarded after the tenth attempt', () => {
    const at = (random: typeof max) => schedule.map((_, index) => nextAttempt(index + 1, failed, now, random)! - now);
    expect(at(none)).toEqual(schedule);
    for (const [index, latest] of at(max).entries()) {
      expect(latest).toBeGreaterThan(schedule[index]!);
      expect(latest).toBeLessThanOrEqual(schedule[index]! * 1.1);
    }
    expect(nextAttempt(10, failed, now, none)).toBeUndefined();
    expect(schedule.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(3 * day);
  });

  it('waits for a longer Retry-After, and never more than a day', () => {
    const wait = (retryAfterMs: number) => nextAttempt(1, { ...failed, retryAfterMs }, now, none)! - now;
    expect([wait(1 * second), wait(90 * second), wait(3 * day)]).toEqual([5 * second, 90 * second, day]);
  });
});

it('only a 2xx status is a success', () => {
  const statuses = [200, 204, 299, 301, 400, 410, 500, undefined];
  const successes = statuses.filter((status) => isSuccess({ durationMs: 1, ...(status && { status }) }));
  expect(successes).toEqual([200, 204, 299]);
});

describe('a failing webhook', () => {
  /** The given number of failed attempts, each after the previous pause. */
  function after(count: number): { health: Health; pauses: number[] } {
    let [health, moment]: [Health, number] = [healthy, now];
    const pauses: number[] = [];
    for (let attempt = 0; attempt < count; attempt++) {
      health = healthAfterFailure(health, failed, moment);
      pauses.push((health.pausedUntil ?? moment) - moment);
      moment = health.pausedUntil ?? moment;
    }
    return { health, pauses };
  }

  it('receives one delivery at a time after three attempts, with pauses that grow to five minutes', () => {
    expect([isProbing(after(2).health), isProbing(after(3).health)]).toEqual([false, true]);
    expect(after(12).pauses.map((pause) => pause / second)).toEqual([0, 0, 5, 10, 20, 40, 80, 160, 300, 300, 300, 300]);
  });

  it('is not paused longer for concurrent failures', () => {
    let health: Health = healthy;
    for (let attempt = 0; attempt < 10; attempt++) health = healthAfterFailure(health, failed, now);
    expect(health).toEqual({ failures: 3, failingSince: now, pausedUntil: now + 5 * second });
  });

  it('is paused for Retry-After', () => {
    expect(healthAfterFailure(healthy, { ...failed, retryAfterMs: hour }, now).pausedUntil).toBe(now + hour);
  });

  it('is disabled after five days', () => {
    const { health } = after(1);
    expect([hasFailedForLong(health, now + 5 * day - 1), hasFailedForLong(health, now + 5 * day)]).toEqual([
      false,
      true,
    ]);
    expect(hasFailedForLong(healthy, now + 9 * day)).toBe(false);
  });
});
