import type { Message } from '../../messages/message.ts';
import type { AccountEvent } from './event.ts';

type MessageEvent = Extract<AccountEvent, { readonly type: `message.${string}` }>;

/** Of a change of a message's status, of which some are no events. Neither its number nor its text is in it. */
export function messageEvent(before: Message | undefined, after: Message): MessageEvent | undefined {
  const {
    status,
    failure,
    accountId,
    id: messageId,
    channel,
    country,
    segments,
    reference,
    credits,
    updatedAt,
  } = after;
  if (before?.status === status || status === 'queued' || status === 'unknown') return undefined;
  const data = { accountId, messageId, channel, failure, country, segments, reference, credits };
  return { type: `message.${status}`, at: Math.floor(updatedAt / 1000), data };
}
