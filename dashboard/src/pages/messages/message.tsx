import { Badge } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { Channel } from '#contract/messages/channels.ts';
import type { Message, MessageStatus } from '#contract/messages/messages.ts';
import { failureMeanings } from './failures.ts';

export type MessageRecord = InferOutput<typeof Message>;

export const channelTitles: Readonly<Record<Channel, string>> = { sms: 'SMS', voice_call: 'Voice call' };

const statuses: Readonly<Record<MessageStatus, readonly [title: string, color: string]>> = {
  queued: ['Queued', 'gray'],
  sent: ['Sent', 'gray'],
  unknown: ['Unknown', 'yellow.8'],
  delivered: ['Delivered', 'pine'],
  undelivered: ['Undelivered', 'red'],
  failed: ['Failed', 'red'],
};
export const statusTitle = (status: MessageStatus): string => statuses[status][0];

export function MessageBadge({ status }: Pick<MessageRecord, 'status'>) {
  const [title, color] = statuses[status];
  return <Badge color={color}>{title}</Badge>;
}

/** What a status is about, and what to do: by the reason of a bad end, where that is known. */
export function meaningOf({ channel, status, failure }: Pick<MessageRecord, 'channel' | 'status' | 'failure'>): string {
  const isCall = channel === 'voice_call';
  const reason = failure && failureMeanings[failure];
  const meanings: Readonly<Record<MessageStatus, string>> = {
    queued: 'The message is being sent to the carrier.',
    sent: 'The carrier accepted the message. Some countries do not report delivery.',
    unknown:
      'The carrier did not confirm the message, so it may have been delivered. It is not resent automatically. Check with the recipient.',
    delivered: isCall
      ? 'The recipient picked up and the full text was played.'
      : 'The carrier reported delivery to the phone.',
    undelivered: reason ?? (isCall ? 'No one picked up.' : 'The carrier could not deliver the message.'),
    failed: `${reason ?? 'The message was not sent to the carrier.'} Nothing was charged.`,
  };
  return meanings[status];
}

const regions = new Intl.DisplayNames('en', { type: 'region' });

/** English name of a country by its ISO 3166-1 code. */
export const countryName = (code: string): string => regions.of(code) ?? code;
