import { createHash } from 'node:crypto';
import { limits } from '#contract/shared/limits.ts';
import { doublingPause, dayMs, hourMs, minuteMs, secondMs } from '#contract/shared/time.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';

export interface ThrottleStore {
  find(id: string): Promise<{ marks: readonly number[]; revision: number }>;
  /** Returns false if another attempt was saved since `revision`. Expires at `expiresAt` (epoch ms). */
  save(id: string, marks: readonly number[], revision: number, expiresAt: number): Promise<boolean>;
  clear(id: string): Promise<void>;
}

/** `waitMs` returns the required wait after earlier attempts; `keepMs`: how long attempts count. */
export interface ThrottleRule {
  readonly name: string;
  readonly marks: number;
  readonly keepMs: number;
  waitMs(marks: readonly number[], now: number): number;
  readonly remedy?: string;
}

const freeGuesses = 5;
const maxGuesses = 100;

const passwordReset = { remedy: 'or reset the password' };

export const passwordGuesses = guesses('guess', passwordReset);

export const deviceGuesses = guesses('device-guess', passwordReset);

export const sessionGuesses = guesses('session-guess', passwordReset);

/** Codes of a second factor, and recovery codes. */
export const factorGuesses = guesses('factor-guess');

/** Allows 5 guesses, then requires waits of 30 s that double up to 1 h. After 100, only a reset or the expiry helps. */
function guesses(name: string, advice: Pick<ThrottleRule, 'remedy'> = {}): ThrottleRule {
  return {
    name,
    marks: maxGuesses,
    keepMs: 30 * dayMs,
    ...advice,
    waitMs(marks, now) {
      if (marks.length < freeGuesses) return 0;
      const wait = doublingPause(marks.length - freeGuesses + 1, { first: 30 * secondMs, max: hourMs });
      return Math.max(0, (marks.at(-1) ?? 0) + (marks.length < maxGuesses ? wait : this.keepMs) - now);
    },
  };
}

export const mailsToAddress = windows('mail', [
  { max: 3, ms: hourMs },
  { max: 10, ms: dayMs },
]);

/** Reset links to a confirmed address after the public limit. Bounds the owner's wait if others exhaust that limit. */
export const furtherResetLinks = windows('further-link', [{ max: 1, ms: 10 * minuteMs }]);

export const confirmationsAgain = windows('confirmation', [{ max: 4, ms: dayMs }]);

/** Bounds the emails that a stolen session can cause. */
export const keyMails = windows('key-mail', [
  { max: 10, ms: hourMs },
  { max: 20, ms: dayMs },
]);

/** A program without cookies is a new device with each sign-in. */
export const deviceMails = windows('device-mail', [
  { max: 5, ms: hourMs },
  { max: 10, ms: dayMs },
]);

export const emailChangeRequests = windows('email-change', [
  { max: 3, ms: hourMs },
  { max: 10, ms: dayMs },
]);

/**
 * Also bounds registrations and confirmation emails, which have no separate limit, because other people could use
 * it to lock out the owner.
 */
export const unconfirmedDeletions = windows('deletion', [{ max: 3, ms: dayMs }]);

/** Each change is a transaction on the meter that calls write to. */
export const keyChanges = windows('key-change', [{ max: limits.keyChangesPerMinute, ms: minuteMs }]);

export const contentReads = windows('content-read', [{ max: limits.contentReadsPerMinute, ms: minuteMs }]);

/** Each change is a ledger row and a webhook event. */
export const subscriptionChanges = windows('subscription-change', [
  { max: limits.subscriptionChangesPerMinute, ms: minuteMs },
]);

export const webhookChanges = windows('webhook-change', [{ max: limits.webhookChangesPerMinute, ms: minuteMs }]);
export const webhookSends = windows('webhook-send', [{ max: limits.webhookSendsPerMinute, ms: minuteMs }]);

/** Maximum checkouts per hour, to prevent card testing (docs/payments.md#security). */
export const checkouts = windows('checkout', [{ max: 5, ms: hourMs }]);

/** Requests that call the payment provider, whose rate limit all accounts share. */
export const paymentRequests = windows('payment-request', [{ max: 60, ms: minuteMs }]);

export const agentChanges = windows('agent-change', [{ max: limits.agentChangesPerMinute, ms: minuteMs }]);

/** Invalid files are read and deleted free of charge, so uploads are limited. */
export const uploads = windows('upload', [{ max: limits.uploadsPerMinute, ms: minuteMs }]);

export const tokenCounts = windows('token-count', [{ max: limits.tokenCountsPerMinute, ms: minuteMs }]);

export const guessesFromNetwork = windows('network-guess', [{ max: 20, ms: 5 * minuteMs }]);
/** Challenges for a sign-in with a passkey. Each one stores a row. The page for signing in requests one. */
export const passkeyChallengesFromNetwork = windows('network-passkey', [{ max: 100, ms: 5 * minuteMs }]);
export const mailsFromNetwork = windows('network-mail', [{ max: 20, ms: hourMs }]);

/** At most `max` attempts in each time span. */
export function windows(name: string, limits: readonly { max: number; ms: number }[]): ThrottleRule {
  return {
    name,
    marks: Math.max(...limits.map(({ max }) => max)),
    keepMs: Math.max(...limits.map(({ ms }) => ms)),
    waitMs: (marks, now) =>
      Math.max(0, ...limits.map(({ max, ms }) => (marks.at(-max) ?? Number.NEGATIVE_INFINITY) + ms - now)),
  };
}

/** Attempts, because concurrent attempts conflict; after 20 attempts every rule requires a wait. */
const maxTries = 25;

export type Throttle = ReturnType<typeof throttle>;

/** Counts attempts by a hash of their subject, so that the table does not reveal it. */
export function throttle(store: ThrottleStore, clock: Clock) {
  async function remembered(rule: ThrottleRule, id: string, now: number) {
    const found = await store.find(id);
    const isForgotten = (found.marks.at(-1) ?? 0) + rule.keepMs <= now;
    return isForgotten ? { ...found, marks: [] } : found;
  }

  /** Records an attempt before its work. Returns 0, or the required wait in ms without recording it. */
  async function take(rule: ThrottleRule, subject: string): Promise<number> {
    const id = idOf(rule, subject);
    for (let tries = 0; tries < maxTries; tries++) {
      const now = clock.now();
      const { marks, revision } = await remembered(rule, id, now);
      const wait = rule.waitMs(marks, now);
      if (wait > 0) return wait;
      if (await store.save(id, [...marks, now].slice(-rule.marks), revision, now + rule.keepMs)) return 0;
    }
    return secondMs;
  }

  async function enforce(rule: ThrottleRule, subject: string): Promise<void> {
    const wait = await take(rule, subject);
    if (wait > 0) throw tooMany(rule, wait);
  }

  async function release(rule: ThrottleRule, subject: string): Promise<void> {
    const id = idOf(rule, subject);
    const { marks, revision } = await store.find(id);
    await store.save(id, marks.slice(0, -1), revision, clock.now() + rule.keepMs);
  }

  return {
    take,
    enforce,
    release,
    clear: (rule: ThrottleRule, subject: string) => store.clear(idOf(rule, subject)),
  };
}

function tooMany(rule: ThrottleRule, wait: number): ServiceError {
  const retryAfterSeconds = Math.ceil(wait / secondMs);
  const advice = [`try again in ${retryAfterSeconds} s`, rule.remedy].filter((part) => part !== undefined);
  const detail = `Too many attempts; ${advice.join(', ')}.`;
  return new ServiceError('RATE_LIMIT_EXCEEDED', detail, { retryAfterSeconds });
}

function idOf(rule: ThrottleRule, subject: string): string {
  return `${rule.name}#${createHash('sha256').update(subject).digest('base64url').slice(0, 22)}`;
}
