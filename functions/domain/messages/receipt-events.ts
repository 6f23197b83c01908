import * as v from 'valibot';
import type { Failure } from '#contract/messages/failures.ts';
import type { MessageStatus } from '#contract/messages/messages.ts';
import { CarrierId } from './carrier-id.ts';
import type { Receipt } from './receipts.ts';

interface Meaning {
  readonly status: MessageStatus;
  readonly failure?: Failure;
}

const sent = { status: 'sent' } as const;
const delivered = { status: 'delivered' } as const;
const undelivered = (failure: Failure): Meaning => ({ status: 'undelivered', failure });
const failed = (failure: Failure): Meaning => ({ status: 'failed', failure });

/**
 * What each type of event reports (AWS "Event types for SMS, MMS, and voice"). SUCCESSFUL: its carrier has taken it. `failed` is what was never
 * handed to a carrier; TTL_EXPIRED may have been. CARRIER_UNREACHABLE passes as UNREACHABLE does.
 */
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

/** Ours, of messages that this service has sent. */
const Context = v.object({
  account: v.pipe(v.string(), v.regex(/^\d{1,16}$/), v.transform(Number), v.safeInteger()),
  message: v.pipe(v.string(), v.regex(/^msg_[0-9A-Za-z]{1,40}$/)),
});

/** What is used of an event. AWS describes the context as part of all, and leaves it out in its examples for EventBridge. */
const Event = v.object({
  detail: v.object({
    eventType: v.string(),
    isFinal: v.optional(v.boolean(), true),
    context: v.fallback(v.optional(Context), undefined),
    messageId: v.fallback(v.optional(CarrierId), undefined),
  }),
});

/** Undefined of an event that names no message, or reports nothing of it. One that is not the last goes no further than `sent`. */
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
