import * as v from 'valibot';
import type { Encoding, MessageStatus } from '#contract/messages/messages.ts';
import type { Channel, Failure } from '#contract/messages/names.ts';
import type { Segments } from '#contract/messages/segments.ts';
import { dayMs, iso } from '#contract/shared/time.ts';
import type { ChargeSettlement } from '../meter/meter.ts';
import type { MeterChanged } from '../meter/metering.ts';
import type { RefundableCharge, RefundWrite, WrittenRefund } from '../meter/refund.ts';
import type { Claim } from '../shared/idempotency.ts';

export interface MessageRef {
  readonly accountId: number;
  readonly id: string;
}

/** A message to a phone. Times in epoch ms. `credits`: whole credits charged and not refunded. */
export interface Message extends MessageRef {
  readonly channel: Channel;
  readonly to: string;
  readonly text: string;
  readonly status: MessageStatus;
  /** Reason of a failure; null unless the message is undelivered or failed. */
  readonly failure: Failure | null;
  readonly country: string;
  readonly segments: number | null;
  readonly encoding: Encoding | null;
  readonly voice: string | null;
  readonly reference: string | null;
  readonly credits: number;
  readonly charge?: RefundableCharge;
  /** Version for optimistic locking. Every change increments it. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const messageRetentionMs = 30 * dayMs;

/** Milliseconds after which a queued message belongs to a crashed function. */
const handOverMs = 90_000;

const order: Readonly<Record<MessageStatus, number>> = {
  queued: 0,
  sent: 1,
  unknown: 2,
  delivered: 3,
  undelivered: 3,
  failed: 3,
};

/** A status only moves forward; final ones never change. */
export const isForward = (from: MessageStatus, to: MessageStatus): boolean => order[to] > order[from];

export function statusAt({ status, createdAt }: Pick<Message, 'status' | 'createdAt'>, now: number): MessageStatus {
  return status === 'queued' && now >= createdAt + handOverMs ? 'unknown' : status;
}

export function moved(message: Message, status: MessageStatus, now: number, failure: Failure | null = null): Message {
  return { ...message, status, failure, revision: message.revision + 1, updatedAt: Math.max(now, message.updatedAt) };
}

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
    createdAt: iso(message.createdAt),
    updatedAt: iso(message.updatedAt),
  };
}

export const CarrierId = v.pipe(v.string(), v.regex(/^[\w-]{1,128}$/));

export interface PhoneNumber {
  readonly country: string | undefined;
  /** Premium-rate, shared-cost, toll-free, personal and similar numbers. */
  readonly isCostly: boolean;
}

export type ReadNumber = (e164: string) => PhoneNumber | undefined;

export type CountSegments = (text: string) => Segments;

export interface OutgoingMessage extends MessageRef {
  readonly channel: Channel;
  readonly to: string;
  readonly text: string;
  readonly voice: string | null;
}

/**
 * `accepted`: by the carrier. `refused`: not sent. `unknown`: the response was lost. `cause`: for the log, without
 * number and text.
 */
export type CarrierResult =
  | { readonly is: 'accepted'; readonly carrierId?: string }
  | { readonly is: 'refused'; readonly why: RefusalReason; readonly cause?: unknown }
  | { readonly is: 'unknown'; readonly cause?: unknown };

/** `throttled` is transient; `carrier` is an error of the carrier or our configuration. */
export type RefusalReason = Extract<
  Failure,
  'opted_out' | 'number_blocked' | 'country_blocked' | 'price' | 'throttled' | 'carrier'
>;

export type SendToCarrier = (message: OutgoingMessage) => Promise<CarrierResult>;

/**
 * `subject`: the counted number, range or account. `endsAt`: epoch ms. `share`: one account's part of a shared limit.
 */
export interface CountedLimit {
  readonly name: 'number' | 'account' | 'range';
  readonly subject: string;
  readonly max: number;
  readonly share?: { readonly accountId: number; readonly max: number };
  readonly startsAt: number;
  readonly endsAt: number;
}

export type SentKey = Pick<Claim, 'id' | 'fingerprint'>;

/** An exhausted limit. `isShare`: the account's share of a shared limit is exhausted. */
export interface ExhaustedLimit {
  readonly by: CountedLimit;
  readonly isShare: boolean;
}

/** `repeat`: the idempotency key has already sent a message, with a request of this fingerprint. */
export type Creation =
  | { readonly is: 'created' }
  | ({ readonly is: 'limited' } & ExhaustedLimit)
  | { readonly is: 'repeat'; readonly id: string; readonly fingerprint: string };

export interface MessagePageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly channel?: Channel | undefined;
  readonly status?: MessageStatus | undefined;
}

/** Times in epoch ms. Messages older than their retention do not exist. */
export interface MessageStore {
  find(ref: MessageRef, now: number): Promise<Message | undefined>;
  findByCarrier(carrierId: string, now: number): Promise<MessageRef | undefined>;
  /** Maps the carrier's message id to ours until receipts stop. The first mapping wins. */
  noteCarrierId(message: Message, carrierId: string): Promise<void>;
  page(
    accountId: number,
    request: Pick<MessagePageRequest, 'limit' | 'cursor'>,
    now: number,
    isWanted: (message: Message) => boolean,
  ): Promise<{ readonly items: readonly Message[]; readonly next: string | null }>;
  create(message: Message, limits: readonly CountedLimit[], key: SentKey | undefined): Promise<Creation>;
  /** Replaces the message if it has the previous revision; otherwise returns false. */
  change(after: Message): Promise<boolean>;
  /** Like `change`, but also releases the idempotency key and the shared limits, because nothing was sent. */
  release(after: Message, limits: readonly CountedLimit[], key: SentKey | undefined): Promise<boolean>;
  charge(after: Message, settlement: ChargeSettlement): Promise<'done' | 'changed' | MeterChanged>;
  refund(after: Message, refund: RefundWrite): Promise<WrittenRefund>;
}
