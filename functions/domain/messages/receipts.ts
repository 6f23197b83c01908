import * as v from 'valibot';
import type { MessageStatus } from '#contract/messages/messages.ts';
import type { Failure } from '#contract/messages/names.ts';
import type { Metering } from '../meter/metering.ts';
import { type RefundableCharge, refunds } from '../meter/refund.ts';
import type { Clock } from '../shared/ports.ts';
import { CarrierId, isForward, type Message, type MessageRef, type MessageStore, moved } from './message.ts';

/** A carrier's delivery report. It may be repeated, late or out of order, or refer to an unknown message. */
export type Receipt = { readonly status: MessageStatus; readonly failure?: Failure } & (
  | MessageRef
  | { readonly carrierId: string }
);

export interface ReceiptParts {
  readonly messages: Pick<MessageStore, 'find' | 'findByCarrier' | 'change' | 'refund'>;
  readonly metering: Pick<Metering, 'change'>;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<void>;
}

const maxTries = 8;

/** Milliseconds to wait until a carrier id is stored. Other applications' messages never have one. */
const noteMs = 300;

/** Applies receipts. A status only moves forward; a failed message is refunded once, in the same write. */
export function receiptService({ messages, metering, clock, pause }: ReceiptParts) {
  const refundCharge = refunds(metering, clock);

  async function record(receipt: Receipt): Promise<boolean> {
    const { status, failure } = receipt;
    // The sending request stores this status with its charge.
    if (status === 'sent') return false;
    const ref = 'carrierId' in receipt ? await namedBy(receipt.carrierId) : receipt;
    if (!ref) return false;
    for (let tries = 0; tries < maxTries; tries++) {
      const now = clock.now();
      const message = await messages.find(ref, now);
      if (!message || !isForward(message.status, status)) return false;
      const after = moved(message, status, now, failure);
      const { charge } = message;
      if (await (status === 'failed' && charge ? free(after, charge) : messages.change(after))) return true;
    }
    throw new Error('a message is being changed by others');
  }

  async function namedBy(carrierId: string): Promise<MessageRef | undefined> {
    const ref = await messages.findByCarrier(carrierId, clock.now());
    if (ref) return ref;
    await pause(noteMs);
    return messages.findByCarrier(carrierId, clock.now());
  }

  async function free(after: Message, charge: RefundableCharge): Promise<boolean> {
    const over = { ...after, credits: 0 };
    const { amount } = charge;
    const given = await refundCharge(after.accountId, charge, { amount }, (write) => messages.refund(over, write));
    return given === 'no account' ? messages.change(over) : given === 'done';
  }

  return { record };
}

interface Meaning {
  readonly status: MessageStatus;
  readonly failure?: Failure;
}

const sent = { status: 'sent' } as const;
const delivered = { status: 'delivered' } as const;
const undelivered = (failure: Failure): Meaning => ({ status: 'undelivered', failure });
const failed = (failure: Failure): Meaning => ({ status: 'failed', failure });

/** AWS "Event types for SMS, MMS, and voice". `failed`: never handed to a carrier; TTL_EXPIRED may have been. */
const meanings: ReadonlyMap<string, Meaning> = new Map([
  ['TEXT_QUEUED', sent],
  ['TEXT_PENDING', sent],
  ['TEXT_SENT', sent],
  ['TEXT_SUCCESSFUL', sent],
  ['VOICE_INITIATED', sent],
  ['VOICE_RINGING', sent],
  ['VOICE_ANSWERED', sent],
  ['TEXT_DELIVERED', delivered],
  ['VOICE_COMPLETED', delivered],
  ['TEXT_BLOCKED', undelivered('blocked')],
  ['TEXT_CARRIER_BLOCKED', undelivered('carrier_blocked')],
  ['TEXT_SPAM', undelivered('spam')],
  ['TEXT_CARRIER_UNREACHABLE', undelivered('unreachable')],
  ['TEXT_UNREACHABLE', undelivered('unreachable')],
  ['TEXT_TTL_EXPIRED', undelivered('expired')],
  ['VOICE_TTL_EXPIRED', undelivered('expired')],
  ['VOICE_BUSY', undelivered('busy')],
  ['VOICE_NO_ANSWER', undelivered('no_answer')],
  ['TEXT_INVALID', failed('number_invalid')],
  ['TEXT_INVALID_MESSAGE', failed('text_invalid')],
  ['TEXT_PROTECT_BLOCKED', failed('fraud_blocked')],
  ['VOICE_FAILED', failed('carrier')],
  ['TEXT_UNKNOWN', { status: 'unknown' }],
]);

/** Set by this service on the messages that it sends. */
const Context = v.object({
  account: v.pipe(v.string(), v.regex(/^\d{1,16}$/), v.transform(Number), v.safeInteger()),
  message: v.pipe(v.string(), v.regex(/^msg_[0-9A-Za-z]{1,40}$/)),
});

/** The fields read from an event. AWS documents `context` for all events, but its EventBridge examples lack it. */
const Event = v.object({
  detail: v.object({
    eventType: v.string(),
    isFinal: v.optional(v.boolean(), true),
    context: v.fallback(v.optional(Context), undefined),
    messageId: v.fallback(v.optional(CarrierId), undefined),
  }),
});

export function receiptIn(event: unknown): Receipt | undefined {
  const { success, output } = v.safeParse(Event, event);
  if (!success) return undefined;
  const { eventType, isFinal, context, messageId } = output.detail;
  const known = meanings.get(eventType);
  if (!known) return undefined;
  const reported = isFinal || known === delivered ? known : sent;
  if (context) return { accountId: context.account, id: context.message, ...reported };
  return messageId === undefined ? undefined : { carrierId: messageId, ...reported };
}
