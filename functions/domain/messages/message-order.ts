import { createHash } from 'node:crypto';
import type { Encoding, NewMessage } from '#contract/messages/messages.ts';
import { defaultVoice } from '#contract/messages/voices.ts';
import type { ErrorCode } from '#contract/shared/errors.ts';
import { limits } from '#contract/shared/limits.ts';
import { dayMs, hourMs } from '#contract/shared/time.ts';
import type { Order } from '../inference/order.ts';
import { fixedPrice } from '../meter/pricing.ts';
import { ServiceError } from '../shared/service-error.ts';
import { codePoints } from '../shared/text.ts';
import type { CountedLimit, CountSegments, ReadNumber, RefusalReason, ExhaustedLimit } from './message.ts';

export interface MessageOrder extends Order, Pick<NewMessage, 'channel' | 'to' | 'text'> {
  readonly service: 'sms' | 'voice_call';
  readonly country: string;
  readonly segments: number | null;
  readonly encoding: Encoding | null;
  readonly voice: string | null;
  readonly reference: string | null;
}

export interface OrderParts {
  readonly readNumber: ReadNumber;
  readonly countSegments: CountSegments;
  readonly countries: ReadonlySet<string>;
  readonly hasCalls: boolean;
}

export function messageOrders({ readNumber, countSegments, countries, hasCalls }: OrderParts) {
  function countryOf(to: string): string {
    const number = readNumber(to);
    if (!number) throw refused('to', 'to is not a valid phone number; check the country code and the digits.');
    if (number.isCostly)
      throw refused('to', 'to is a premium-rate, shared-cost or toll-free number; use a mobile number.');
    const { country } = number;
    if (country !== undefined && countries.has(country)) return country;
    const names = countries.size > 0 ? `only to: ${[...countries].toSorted().join(', ')}` : 'to no country yet';
    throw refused('to', `to is a number in ${country ?? 'no country'}; messages are sent ${names}.`);
  }

  return function order({ channel, to, text, voice, reference }: NewMessage): MessageOrder {
    const country = countryOf(to);
    const common = { model: '', service: channel, amount: fixedPrice(channel), channel, to, text, country, reference };
    if (channel === 'voice_call') {
      if (!hasCalls) throw refused('channel', 'channel must be sms; this service has no number for calls.');
      if (codePoints(text) > limits.callCharacters)
        throw refused('text', `text must have at most ${limits.callCharacters} characters for a call.`);
      return { ...common, segments: null, encoding: null, voice: voice ?? defaultVoice };
    }
    if (voice !== undefined) throw refused('voice', 'voice applies to calls only; omit it for an SMS.');
    const { segments, encoding } = countSegments(text);
    if (segments > limits.messageSegments) {
      const detail = `text would be ${segments} segments in ${encoding}; an SMS may have at most ${limits.messageSegments}.`;
      throw refused('text', detail);
    }
    return { ...common, segments, encoding, voice: null };
  };
}

function refused(path: string, detail: string): ServiceError {
  return new ServiceError('INVALID_FORMAT', detail, { field: { path, isMissing: false } });
}

const recipientDetails: Readonly<Partial<Record<RefusalReason, string>>> = {
  number_blocked: 'to is a number that cannot receive messages. Nothing was charged. Use another number.',
  country_blocked:
    'to is in a country that cannot receive messages. Nothing was charged. Use a number in another country.',
  price: 'to is a number that costs more than the limit per message. Nothing was charged. Use another number.',
};

const others = {
  opted_out: [
    'RECIPIENT_OPTED_OUT',
    'The recipient has opted out of messages and must opt in again first. Nothing was charged.',
  ],
  throttled: [
    'SERVICE_UNAVAILABLE',
    'The carrier is not accepting more messages right now. Nothing was charged. Try again.',
  ],
  carrier: ['DELIVERY_ERROR', 'The carrier did not accept the message. Nothing was charged. Try again later.'],
} as const satisfies Readonly<Record<string, readonly [ErrorCode, string]>>;

const retryAfterSeconds = 5;

export function refusalOf(why: RefusalReason, cause: unknown): ServiceError {
  const detail = recipientDetails[why];
  if (detail !== undefined) return refused('to', detail);
  const kind = why === 'opted_out' || why === 'throttled' ? why : 'carrier';
  const [code, sentence] = others[kind];
  return new ServiceError(code, sentence, { cause, ...(kind === 'throttled' && { retryAfterSeconds }) });
}

/** Maximum messages: to a number per hour, of an account per day, to a range of numbers per hour. */
export interface SendingLimits {
  readonly perNumber: number;
  readonly perAccount: number;
  readonly perRange: number;
}

/** Message pumping uses whole number ranges (docs/messages.md#limits-against-fraud). */
const rangeDigits = 4;

/** Maximum share of a shared limit per account, so that one account cannot block the others. */
const shareOfOne = 0.5;

export function countedLimits(accountId: number, to: string, now: number, limits: SendingLimits): CountedLimit[] {
  const within = (ms: number) => ({ startsAt: now - (now % ms), endsAt: now - (now % ms) + ms });
  const ofAll = (max: number) => ({ max, share: { accountId, max: Math.ceil(max * shareOfOne) }, ...within(hourMs) });
  return [
    { name: 'number', subject: digest(to), ...ofAll(limits.perNumber) },
    { name: 'account', subject: String(accountId), max: limits.perAccount, ...within(dayMs) },
    { name: 'range', subject: digest(to.slice(0, -rangeDigits)), ...ofAll(limits.perRange) },
  ];
}

const nearby = 'to numbers that differ from this one in their last four digits only';

function exhaustedLimitDetail({ by: { name, max, share }, isShare }: ExhaustedLimit): string {
  if (name === 'account') return `You have used up the ${max} messages that an account may send per day`;
  const where = name === 'number' ? 'to this number this hour' : `this hour ${nearby}`;
  return share && isShare
    ? `You have sent ${share.max} messages ${where}, the limit per account`
    : `${max} messages have been sent ${where}, the limit for all accounts`;
}

export function tooMany(used: ExhaustedLimit, now: number): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil((used.by.endsAt - now) / 1000));
  const detail = `${exhaustedLimitDetail(used)}; try again in ${retryAfterSeconds} s.`;
  return new ServiceError('RATE_LIMIT_EXCEEDED', detail, { retryAfterSeconds });
}

/** Hashed, so that the table does not reveal recipients. */
const digest = (subject: string): string => createHash('sha256').update(subject).digest('base64url').slice(0, 22);
