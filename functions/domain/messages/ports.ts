import type { Channel } from '#contract/messages/channels.ts';
import type { Encoding, MessageStatus } from '#contract/messages/messages.ts';
import type { LedgerEntry, Meter } from '../meter/meter.ts';
import type { Message, MessageRef } from './message.ts';

/** A number of the plans of all countries. */
export interface PhoneNumber {
  /** ISO 3166-1 code; undefined of a number that belongs to none. */
  readonly country: string | undefined;
  /** Costs whoever calls it more than a call, or leads on to others: premium rate, shared cost, personal and the like. */
  readonly isCostly: boolean;
}

/** Undefined of a number that cannot be. */
export type ReadNumber = (e164: string) => PhoneNumber | undefined;

/** How an SMS is cut. */
export type CountSegments = (text: string) => { readonly segments: number; readonly encoding: Encoding };

/** What is handed to the carrier. */
export interface OutgoingMessage extends MessageRef {
  readonly channel: Channel;
  readonly to: string;
  readonly text: string;
  readonly voice: string | null;
}

/**
 * What became of the one attempt. `refused`: it was not taken, and is not sent; `unknown`: nobody knows, as the reply was lost. The cause is for
 * the log, without number and text.
 */
export type HandOver =
  | { readonly is: 'taken' }
  | { readonly is: 'refused'; readonly why: Refused; readonly cause?: unknown }
  | { readonly is: 'unknown'; readonly cause?: unknown };

/** `opted out`, `country` and `price` are about the recipient; `busy` passes; `carrier` is the carrier's or our set-up's fault. */
export type Refused = 'opted out' | 'number' | 'country' | 'price' | 'busy' | 'carrier';

/** Hands a message to the carrier, once. */
export type HandToCarrier = (message: OutgoingMessage) => Promise<HandOver>;

/** A limit on messages, counted in a window: `subject` is what it is counted for, `endsAt` (epoch ms) when it begins again. */
export interface CountedLimit {
  readonly name: 'number' | 'account' | 'range';
  readonly subject: string;
  readonly max: number;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** `repeat`: the Idempotency-Key has sent this message before. */
export type Creation =
  | { readonly is: 'created' }
  | { readonly is: 'limited'; readonly by: CountedLimit }
  | { readonly is: 'repeat'; readonly id: string };

export interface MessagePageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly channel?: Channel | undefined;
  readonly status?: MessageStatus | undefined;
}

/** The messages of accounts. Moments in epoch ms; what is older than its retention is not there. */
export interface MessageStore {
  find(ref: MessageRef, now: number): Promise<Message | undefined>;
  /** Newest first. `isWanted` chooses among those that are read. */
  page(
    accountId: number,
    request: Pick<MessagePageRequest, 'limit' | 'cursor'>,
    now: number,
    isWanted: (message: Message) => boolean,
  ): Promise<{ readonly items: readonly Message[]; readonly next: string | null }>;
  /** Writes the message and counts it, or neither. `key`: the digest of its Idempotency-Key. */
  create(message: Message, limits: readonly CountedLimit[], key: string | undefined): Promise<Creation>;
  /** Puts `after` in the place of the message of the revision before it; false when that has changed. */
  change(after: Message): Promise<boolean>;
  /** As `change`, and frees the Idempotency-Key, as nothing was sent. */
  release(after: Message, key: string | undefined): Promise<boolean>;
  /** As `change`, and notes on the open hold of its request that it is charged: the two happen together. */
  charge(after: Message, amount: number): Promise<'done' | 'changed' | 'no hold'>;
  /** As `change`, and puts the meter after the refund in the place of the one before it: the two happen together. */
  refund(
    after: Message,
    meters: { readonly before: Meter; readonly after: Meter; readonly entries: readonly LedgerEntry[] },
  ): Promise<'done' | 'changed' | 'meter changed'>;
}
