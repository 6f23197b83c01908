import { createHash } from 'node:crypto';
import { ServiceError } from '../shared/service-error.ts';
import type { CountedLimit, UsedUp } from './ports.ts';

/** Messages that are sent at most: to a number in an hour, of an account in a day, to a range of numbers in an hour. */
export interface SendingLimits {
  readonly perNumber: number;
  readonly perAccount: number;
  readonly perRange: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Digits in which the numbers of a range differ: who pumps messages owns ranges (docs/messages.md#limits-against-fraud). */
const rangeDigits = 4;

/** Of what all accounts may send to a number or range, one may take this part, so that none alone keeps it from the others. */
const shareOfOne = 0.5;

/** What a message to a number counts towards: windows begin with each hour and day (UTC). */
export function countedLimits(accountId: number, to: string, now: number, limits: SendingLimits): CountedLimit[] {
  const within = (ms: number) => ({ startsAt: now - (now % ms), endsAt: now - (now % ms) + ms });
  const ofAll = (max: number) => ({ max, share: { accountId, max: Math.ceil(max * shareOfOne) }, ...within(hourMs) });
  return [
    { name: 'number', subject: digest(to), ...ofAll(limits.perNumber) },
    { name: 'account', subject: String(accountId), max: limits.perAccount, ...within(dayMs) },
    { name: 'range', subject: digest(to.slice(0, -rangeDigits)), ...ofAll(limits.perRange) },
  ];
}

/** Numbers of a range, seen from one of them. */
const nearby = 'to numbers that differ from this one in their last four digits only';

/** What was sent already, of a limit that is used up: by the account itself where its share is, else by all. */
function sentAlready({ by: { name, max, share }, isShare }: UsedUp): string {
  if (name === 'account') return `You have used up the ${max} messages that an account may send per day`;
  const where = name === 'number' ? 'to this number this hour' : `this hour ${nearby}`;
  return share && isShare
    ? `You have sent ${share.max} messages ${where}, the limit per account`
    : `${max} messages have been sent ${where}, the limit for all accounts`;
}

/** The refusal (429) by a limit that is used up. */
export function tooMany(used: UsedUp, now: number): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil((used.by.endsAt - now) / 1000));
  const detail = `${sentAlready(used)}; try again in ${retryAfterSeconds} s.`;
  return new ServiceError('RATE_LIMIT_EXCEEDED', detail, { retryAfterSeconds });
}

/** The store reveals to nobody who is written to. */
const digest = (subject: string): string => createHash('sha256').update(subject).digest('base64url').slice(0, 22);
