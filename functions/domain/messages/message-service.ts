import { createHash } from 'node:crypto';
import { microPerCredit } from '#contract/billing/prices.ts';
import { type MessageStatus, type Encoding, type NewMessage, defaultVoice } from '#contract/messages/messages.ts';
import type { ErrorCode } from '#contract/shared/errors.ts';
import { limits } from '#contract/shared/limits.ts';
import { dayMs, hourMs } from '#contract/shared/time.ts';
import type { Order } from '../inference/order.ts';
import type { OpenHold } from '../meter/metering.ts';
import { fixedPrice } from '../meter/pricing.ts';
import { timedId } from '../shared/credential.ts';
import { type Claim, keyReused } from '../shared/idempotency.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { codePoints } from '../shared/text.ts';
import {
  type CountedLimit,
  type CarrierResult,
  type SendToCarrier,
  isForward,
  type Message,
  type MessagePageRequest,
  type MessageStore,
  messageView,
  moved,
  statusAt,
  type CountSegments,
  type ReadNumber,
  type RefusalReason,
  type ExhaustedLimit,
} from './message.ts';

export interface SendingParts {
  readonly messages: MessageStore;
  readonly sendToCarrier: SendToCarrier;
  readonly limits: SendingLimits;
  readonly onProblem: (problem: string, about: { readonly messageId: string; readonly cause?: unknown }) => void;
  readonly clock: Clock;
  readonly random: Random;
}

export interface SendingCall {
  readonly accountId: number;
  readonly claim: Claim | undefined;
  readonly openHold: Pick<OpenHold, 'settleWith'>;
}

const maxTries = 8;

/** Sends messages at most once: each is stored before it is handed to the carrier (docs/messages.md#one-attempt). */
export function messageSending({ messages, sendToCarrier, limits, onProblem, clock, random }: SendingParts) {
  async function send(order: MessageOrder, { accountId, claim, openHold }: SendingCall) {
    const now = clock.now();
    const { channel, to, text, country, segments, encoding, voice, reference } = order;
    const about = { channel, to, text, country, segments, encoding, voice, reference };
    const message: Message = {
      ...about,
      accountId,
      id: timedId('msg', now, random),
      status: 'queued',
      failure: null,
      credits: 0,
      revision: 1,
      createdAt: now,
      updatedAt: now,
    };
    const counted = countedLimits(accountId, to, now, limits);
    const creation = await messages.create(message, counted, claim);
    if (creation.is === 'limited') throw tooMany(creation, now);
    if (creation.is === 'repeat') {
      if (creation.fingerprint !== claim?.fingerprint) throw keyReused();
      return repeated({ accountId, id: creation.id }, now);
    }
    const { id } = message;
    const result = await sendToCarrier({ accountId, id, channel, to, text, voice });
    if (result.is === 'refused') {
      await release(moved(message, 'failed', clock.now(), result.why), counted, claim);
      throw refusalOf(result.why, result.cause);
    }
    if (result.is === 'unknown')
      onProblem('the response of the carrier was lost', { messageId: id, cause: result.cause });
    const [ended] = await Promise.all([
      settle(message, result.is === 'accepted' ? 'sent' : 'unknown', order.amount, openHold),
      noteCarrierId(message, result),
    ]);
    return { body: messageView(ended, clock.now()), cost: ended.credits * microPerCredit };
  }

  /** Receipts may identify the message only by this id. */
  async function noteCarrierId(message: Message, result: CarrierResult): Promise<void> {
    if (result.is !== 'accepted' || result.carrierId === undefined) return;
    try {
      await messages.noteCarrierId(message, result.carrierId);
    } catch (cause) {
      onProblem('the message id of the carrier could not be stored', { messageId: message.id, cause });
    }
  }

  /** Returns the first message with the key. Its function may have crashed; any charge was made then. */
  async function repeated(ref: Pick<Message, 'accountId' | 'id'>, now: number) {
    const first = await messages.find(ref, now);
    if (!first)
      throw new ServiceError('SERVICE_UNAVAILABLE', 'The message is being sent; try again.', { retryAfterSeconds: 1 });
    return { body: messageView(first, now), cost: 0 };
  }

  /** If the write fails, the message becomes `unknown` and costs nothing. */
  async function release(failed: Message, counted: readonly CountedLimit[], claim: Claim | undefined): Promise<void> {
    try {
      await messages.release(failed, counted, claim);
    } catch (cause) {
      onProblem('a refused message could not be stored', { messageId: failed.id, cause });
    }
  }

  /** The message is never sent again. If the charge cannot be written, it is `unknown` and costs nothing. */
  async function settle(
    message: Message,
    status: MessageStatus,
    amount: number,
    openHold: SendingCall['openHold'],
  ): Promise<Message> {
    try {
      let before: Message | undefined = message;
      for (let tries = 0; before && tries < maxTries; tries++) {
        if (before.status === 'failed') return before;
        const next: Message = isForward(before.status, status)
          ? moved(before, status, clock.now())
          : { ...before, revision: before.revision + 1 };
        const paid = { ...next, credits: amount / microPerCredit };
        const written = await openHold.settleWith(amount, clock.now(), (settlement, kept) =>
          messages.charge({ ...paid, charge: kept }, settlement),
        );
        if (written === 'done') return paid;
        if (written === 'hold closed' && (await messages.change(next))) return next;
        before = await messages.find(message, clock.now());
      }
    } catch (cause) {
      onProblem('a message that was handed over could not be stored', { messageId: message.id, cause });
    }
    // The write may have succeeded despite the error.
    const written = await messages.find(message, clock.now()).catch(() => undefined);
    return written && written.credits > 0 ? written : { ...message, status: 'unknown' };
  }

  return { send };
}

export function messageList(messages: Pick<MessageStore, 'find' | 'page'>, clock: Clock) {
  return {
    async list(accountId: number, { limit, cursor, channel, status }: MessagePageRequest) {
      const now = clock.now();
      const isWanted = (message: Message): boolean =>
        (channel === undefined || message.channel === channel) &&
        (status === undefined || statusAt(message, now) === status);
      const { items, next } = await messages.page(accountId, { limit, cursor }, now, isWanted);
      return { items: items.map((message) => messageView(message, now)), nextCursor: next };
    },
    async get(accountId: number, id: string) {
      const now = clock.now();
      const message = await messages.find({ accountId, id }, now);
      if (!message) throw new ServiceError('NOT_FOUND', 'There is no such message.');
      return messageView(message, now);
    },
  };
}

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

function refusalOf(why: RefusalReason, cause: unknown): ServiceError {
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

function countedLimits(accountId: number, to: string, now: number, limits: SendingLimits): CountedLimit[] {
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

function tooMany(used: ExhaustedLimit, now: number): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil((used.by.endsAt - now) / 1000));
  const detail = `${exhaustedLimitDetail(used)}; try again in ${retryAfterSeconds} s.`;
  return new ServiceError('RATE_LIMIT_EXCEEDED', detail, { retryAfterSeconds });
}

/** Hashed, so that the table does not reveal recipients. */
const digest = (subject: string): string => createHash('sha256').update(subject).digest('base64url').slice(0, 22);
