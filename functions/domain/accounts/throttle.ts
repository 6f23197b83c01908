import { createHash } from 'node:crypto';
import { limits } from '#contract/shared/limits.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';

/** Moments (epoch ms, oldest first) at which something was done in a throttle's name. */
export interface ThrottleStore {
  find(id: string): Promise<{ marks: readonly number[]; revision: number }>;
  /** False when another mark was made since `revision`. Forgotten after `expiresAt` (epoch ms). */
  save(id: string, marks: readonly number[], revision: number, expiresAt: number): Promise<boolean>;
  clear(id: string): Promise<void>;
}

/** How long (ms) the next try must wait after the marks that were made; `keepMs` is how long marks matter. */
export interface ThrottleRule {
  readonly name: string;
  readonly marks: number;
  readonly keepMs: number;
  waitMs(marks: readonly number[], now: number): number;
  /** What helps sooner than waiting. */
  readonly remedy?: string;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const freeGuesses = 5;
const maxGuesses = 100;

/** Guesses of one account's password by anybody who knows its address. */
export const passwordGuesses = guesses('guess');

/** Guesses from one device that signed in to the account before: nobody else's stop it. */
export const deviceGuesses = guesses('device-guess');

/** Guesses in the account's own sessions, where the password is required once more. */
export const sessionGuesses = guesses('session-guess');

/**
 * Five are free, then waits of 30 s doubling to an hour; after 100 only a reset helps, or so long a silence that they
 * are forgotten.
 */
function guesses(name: string): ThrottleRule {
  return {
    name,
    marks: maxGuesses,
    keepMs: 30 * day,
    remedy: 'or reset the password',
    waitMs(marks, now) {
      if (marks.length < freeGuesses) return 0;
      const wait = Math.min(30 * second * 2 ** (marks.length - freeGuesses), hour);
      return Math.max(0, (marks.at(-1) ?? 0) + (marks.length < maxGuesses ? wait : this.keepMs) - now);
    },
  };
}

/** Mails to one address that anybody can request. */
export const mailsToAddress = windows('mail', [
  { max: 3, ms: hour },
  { max: 10, ms: day },
]);

/** Reset links to a confirmed address once those are used up: whoever used them up, its owner waits no longer than this. */
export const furtherResetLinks = windows('further-link', [{ max: 1, ms: 10 * minute }]);

/** Of the mails to one address, so few are confirmations sent again: who registers with a foreign one leaves the rest. */
export const confirmationsAgain = windows('confirmation', [{ max: 4, ms: day }]);

/** Changes of the email address that an account requests: each mails its own address, and any other. */
export const emailChangeRequests = windows('email-change', [
  { max: 3, ms: hour },
  { max: 10, ms: day },
]);

/**
 * Accounts of one address that are deleted before it is confirmed, so that it is registered, and mailed, once more often
 * than this. Registering itself has no limit: what a stranger uses up would keep the owner out.
 */
export const unconfirmedDeletions = windows('deletion', [{ max: 3, ms: day }]);

/** Changes of an account's keys: each is a transaction on the meter that the account's calls write to. */
export const keyChanges = windows('key-change', [{ max: limits.keyChangesPerMinute, ms: minute }]);

/** Changes of an account's subscription: each stays in the ledger, and is sent to all of the account's webhooks. */
export const subscriptionChanges = windows('subscription-change', [
  { max: limits.subscriptionChangesPerMinute, ms: minute },
]);

/** Changes of an account's webhooks, and what it has sent to them. */
export const webhookChanges = windows('webhook-change', [{ max: limits.webhookChangesPerMinute, ms: minute }]);
export const webhookSends = windows('webhook-send', [{ max: limits.webhookSendsPerMinute, ms: minute }]);

/** Changes of an account's agents, and of what is in them. */
export const agentChanges = windows('agent-change', [{ max: limits.agentChangesPerMinute, ms: minute }]);

/** Uploads of an account: each is a write, and a file that is no audio is read and deleted, which no credit pays. */
export const uploads = windows('upload', [{ max: limits.uploadsPerMinute, ms: minute }]);

/** Wrong passwords, and mails requested, from one network. */
export const guessesFromNetwork = windows('network-guess', [{ max: 20, ms: 5 * minute }]);
export const mailsFromNetwork = windows('network-mail', [{ max: 20, ms: hour }]);

function windows(name: string, limits: readonly { max: number; ms: number }[]): ThrottleRule {
  return {
    name,
    marks: Math.max(...limits.map(({ max }) => max)),
    keepMs: Math.max(...limits.map(({ ms }) => ms)),
    waitMs: (marks, now) =>
      Math.max(0, ...limits.map(({ max, ms }) => (marks.at(-max) ?? Number.NEGATIVE_INFINITY) + ms - now)),
  };
}

/** A race is lost to somebody else's mark, and after 20 marks every rule makes one wait. */
const maxTries = 25;

export type Throttle = ReturnType<typeof throttle>;

/** Counts what people do by a hash of whom it concerns, so that the store reveals to nobody who that is. */
export function throttle(store: ThrottleStore, clock: Clock) {
  async function remembered(rule: ThrottleRule, id: string, now: number) {
    const found = await store.find(id);
    const isForgotten = (found.marks.at(-1) ?? 0) + rule.keepMs <= now;
    return isForgotten ? { ...found, marks: [] } : found;
  }

  /** Makes a mark, before the work it stands for; gives the ms to wait instead when the rule is used up. */
  async function take(rule: ThrottleRule, subject: string): Promise<number> {
    const id = idOf(rule, subject);
    for (let tries = 0; tries < maxTries; tries++) {
      const now = clock.now();
      const { marks, revision } = await remembered(rule, id, now);
      const wait = rule.waitMs(marks, now);
      if (wait > 0) return wait;
      if (await store.save(id, [...marks, now].slice(-rule.marks), revision, now + rule.keepMs)) return 0;
    }
    return second;
  }

  /** As `take`, but throws the refusal (429). */
  async function demand(rule: ThrottleRule, subject: string): Promise<void> {
    const wait = await take(rule, subject);
    if (wait > 0) throw tooMany(rule, wait);
  }

  /** Takes the newest mark back: what it stood for was no attempt after all. */
  async function release(rule: ThrottleRule, subject: string): Promise<void> {
    const id = idOf(rule, subject);
    const { marks, revision } = await store.find(id);
    await store.save(id, marks.slice(0, -1), revision, clock.now() + rule.keepMs);
  }

  return {
    take,
    demand,
    release,
    clear: (rule: ThrottleRule, subject: string) => store.clear(idOf(rule, subject)),
  };
}

function tooMany(rule: ThrottleRule, wait: number): ServiceError {
  const retryAfterSeconds = Math.ceil(wait / second);
  const advice = [`try again in ${retryAfterSeconds} s`, rule.remedy].filter((part) => part !== undefined);
  const detail = `Too many attempts; ${advice.join(', ')}.`;
  return new ServiceError('RATE_LIMIT_EXCEEDED', detail, { retryAfterSeconds });
}

function idOf(rule: ThrottleRule, subject: string): string {
  return `${rule.name}#${createHash('sha256').update(subject).digest('base64url').slice(0, 22)}`;
}
