import { microPerCredit } from '#contract/billing/prices.ts';
import type { MessageStatus } from '#contract/messages/messages.ts';
import type { OpenHold } from '../meter/metering.ts';
import { timedId } from '../shared/credential.ts';
import { type Claim, keyReused } from '../shared/idempotency.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { countedLimits, type MessageOrder, refusalOf, type SendingLimits, tooMany } from './message-order.ts';
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
