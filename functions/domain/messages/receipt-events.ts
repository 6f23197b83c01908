import * as v from 'valibot';
import { type MessageStatus, messageStatuses } from '#contract/messages/messages.ts';
import { CarrierId } from './carrier-id.ts';
import type { Receipt } from './receipts.ts';

/**
 * The status that each type of event reports (AWS "Event types for SMS, MMS, and voice"). SUCCESSFUL: its carrier has taken it. `failed` is what was never
 * handed to a carrier; TTL_EXPIRED may have been.
 */
const typesOf: Readonly<Partial<Record<MessageStatus, readonly string[]>>> = {
  sent: [
    'TEXT_QUEUED',
    'TEXT_PENDING',
    'TEXT_SENT',
    'TEXT_SUCCESSFUL',
    'VOICE_INITIATED',
    'VOICE_RINGING',
    'VOICE_ANSWERED',
  ],
  delivered: ['TEXT_DELIVERED', 'VOICE_COMPLETED'],
  undelivered: [
    'TEXT_BLOCKED',
    'TEXT_CARRIER_BLOCKED',
    'TEXT_CARRIER_UNREACHABLE',
    'TEXT_SPAM',
    'TEXT_TTL_EXPIRED',
    'TEXT_UNREACHABLE',
    'VOICE_BUSY',
    'VOICE_NO_ANSWER',
    'VOICE_TTL_EXPIRED',
  ],
  failed: ['TEXT_INVALID', 'TEXT_INVALID_MESSAGE', 'TEXT_PROTECT_BLOCKED', 'VOICE_FAILED'],
  unknown: ['TEXT_UNKNOWN'],
};

const statuses: ReadonlyMap<string, MessageStatus> = new Map(
  messageStatuses.flatMap((status) => (typesOf[status] ?? []).map((type) => [type, status] as const)),
);

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
  const known = statuses.get(eventType);
  if (!known) return undefined;
  const status = isFinal || known === 'delivered' ? known : 'sent';
  if (context) return { accountId: context.account, id: context.message, status };
  return messageId === undefined ? undefined : { carrierId: messageId, status };
}
