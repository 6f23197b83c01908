import type { Channel } from '#contract/messages/channels.ts';
import type { Failure } from '#contract/messages/failures.ts';
import type { Encoding, MessageStatus } from '#contract/messages/messages.ts';
import type { KeptCharge } from '../meter/refund.ts';

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
