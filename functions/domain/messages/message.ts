import * as v from 'valibot';
import type { Encoding, MessageStatus } from '#contract/messages/messages.ts';
import type { Channel, Failure } from '#contract/messages/names.ts';
import type { Segments } from '#contract/messages/segments.ts';
import type { ChargeSettlement } from '../meter/meter-store.ts';
import type { MeterChanged } from '../meter/metering.ts';
import type { KeptCharge } from '../meter/refund.ts';
import type { RefundWrite, WrittenRefund } from '../meter/refunds.ts';
import type { Claim } from '../shared/idempotency.ts';

/** Names a message. */
export interface MessageRef {
  readonly accountId: number;
  readonly id: string;
}

/** A message to a phone. Moments in epoch ms; `credits` in whole ones, charged and not given back. */
export interface Message extends MessageRef {
  readonly channel: Channel;
  readonly to: string;
  readonly text: string;
  readonly status: MessageStatus;
  /** Why it ended so; null of one that did not end undelivered or failed. */
  readonly failure: Failure | null;
  readonly country: string;
  /** Null of a call, as is the encoding. */
  readonly segments: number | null;
  readonly encoding: Encoding | null;
  /** Null of an SMS. */
  readonly voice: string | null;
  readonly reference: string | null;
  readonly credits: number;
  /** Of the call that sent it, once it was handed over. */
  readonly charge?: KeptCharge;
  /** Raised by every change, which is conditional on it. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** How long a message is kept, with its text. */
export const messageRetentionMs = 30 * 86_400_000;

/** After this a message that is queued is one whose function died: nobody knows whether it was handed over. */
const handOverMs = 90_000;

const order: Readonly<Record<MessageStatus, number>> = {
  queued: 0,
  sent: 1,
  unknown: 2,
  delivered: 3,
  undelivered: 3,
  failed: 3,
};

/** A status goes forward only; an end stays. */
export const isForward = (from: MessageStatus, to: MessageStatus): boolean => order[to] > order[from];

/** As it is at a moment. */
export function statusAt({ status, createdAt }: Pick<Message, 'status' | 'createdAt'>, now: number): MessageStatus {
  return status === 'queued' && now >= createdAt + handOverMs ? 'unknown' : status;
}

/** The next revision of a message, with this status, and why where it is a bad end. */
export function moved(message: Message, status: MessageStatus, now: number, failure: Failure | null = null): Message {
  return { ...message, status, failure, revision: message.revision + 1, updatedAt: Math.max(now, message.updatedAt) };
}

/** A message as its owner sees it. */
export function messageView(message: Message, now: number) {
  const { id, channel, to, text, failure, country, segments, encoding, voice, reference, credits } = message;
  return {
    id,
    channel,
    to,
    text,
    status: statusAt(message, now),
    failure,
    country,
    segments,
    encoding,
    voice,
    reference,
    credits,
    createdAt: new Date(message.createdAt).toISOString(),
    updatedAt: new Date(message.updatedAt).toISOString(),
  };
}

/** A carrier's own name of a message: a UUID at AWS. */
export const CarrierId = v.pipe(v.string(), v.regex(/^[\w-]{1,128}$/));

/** A number of the plans of all countries. */
export interface PhoneNumber {
  /** ISO 3166-1 code; undefined of a number that belongs to none. */
  readonly country: string | undefined;
  /** Costs whoever calls it more than a call, or whoever is called, or leads on to others: premium rate, shared cost, toll-free, personal and the like. */
  readonly isCostly: boolean;
}

/** Undefined of a number that cannot be. */
export type ReadNumber = (e164: string) => PhoneNumber | undefined;

/** How an SMS is cut. */
export type CountSegments = (text: string) => Segments;

/** What is handed to the carrier. */
export interface OutgoingMessage extends MessageRef {
  readonly channel: Channel;
  readonly to: string;
  readonly text: string;
  readonly voice: string | null;
}

/**
 * What became of the one attempt. `taken`: where the carrier has returned its name of the message, with that. `refused`: it was not taken,
 * and is not sent; `unknown`: nobody knows, as the reply was lost. The cause is for the log, without number and text.
 */
export type HandOver =
  | { readonly is: 'taken'; readonly carrierId?: string }
  | { readonly is: 'refused'; readonly why: Refused; readonly cause?: unknown }
  | { readonly is: 'unknown'; readonly cause?: unknown };

/** `throttled` passes; `carrier` is the carrier's or our set-up's fault; the others are about the recipient. */
export type Refused = Extract<
  Failure,
  'opted_out' | 'number_blocked' | 'country_blocked' | 'price' | 'throttled' | 'carrier'
>;

/** Hands a message to the carrier, once. */
export type HandToCarrier = (message: OutgoingMessage) => Promise<HandOver>;

/**
 * A limit on messages, counted in a window: `subject` is what it is counted for, `endsAt` (epoch ms) when it begins again. `share`: of what
 * all accounts share, the most that this one may take; it gets back what was not sent.
 */
export interface CountedLimit {
  readonly name: 'number' | 'account' | 'range';
  readonly subject: string;
  readonly max: number;
  readonly share?: { readonly accountId: number; readonly max: number };
  readonly startsAt: number;
  readonly endsAt: number;
}

/** An Idempotency-Key, and what was sent with it: both hashed. */
export type SentKey = Pick<Claim, 'id' | 'fingerprint'>;

/** A limit that is used up; `isShare`: this account's share of what all may send, not the whole. */
export interface UsedUp {
  readonly by: CountedLimit;
  readonly isShare: boolean;
}

/** `repeat`: the Idempotency-Key has sent this message before, with a request of this fingerprint. */
export type Creation =
  | { readonly is: 'created' }
  | ({ readonly is: 'limited' } & UsedUp)
  | { readonly is: 'repeat'; readonly id: string; readonly fingerprint: string };

export interface MessagePageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly channel?: Channel | undefined;
  readonly status?: MessageStatus | undefined;
}

/** The messages of accounts. Moments in epoch ms; what is older than its retention is not there. */
export interface MessageStore {
  find(ref: MessageRef, now: number): Promise<Message | undefined>;
  /** The message that a carrier calls so. */
  findByCarrier(carrierId: string, now: number): Promise<MessageRef | undefined>;
  /** Notes what its carrier calls a message, for as long as receipts come. The first message that it calls so stays. */
  noteCarrierId(message: Message, carrierId: string): Promise<void>;
  /** Newest first. `isWanted` chooses among those that are read. */
  page(
    accountId: number,
    request: Pick<MessagePageRequest, 'limit' | 'cursor'>,
    now: number,
    isWanted: (message: Message) => boolean,
  ): Promise<{ readonly items: readonly Message[]; readonly next: string | null }>;
  /** Writes the message and counts it, or neither. */
  create(message: Message, limits: readonly CountedLimit[], key: SentKey | undefined): Promise<Creation>;
  /** Puts `after` in the place of the message of the revision before it; false when that has changed. */
  change(after: Message): Promise<boolean>;
  /** As `change`, frees the Idempotency-Key, and counts the message towards shared limits no longer, as nothing was sent. */
  release(after: Message, limits: readonly CountedLimit[], key: SentKey | undefined): Promise<boolean>;
  /** As `change`, and settles its call: the two happen together. */
  charge(after: Message, settlement: ChargeSettlement): Promise<'done' | 'changed' | MeterChanged>;
  /** As `change`, with what comes back: the two happen together. */
  refund(after: Message, refund: RefundWrite): Promise<WrittenRefund>;
}
