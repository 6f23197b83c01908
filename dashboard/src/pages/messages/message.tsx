import { Badge } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { Channel } from '#contract/messages/channels.ts';
import type { Message, MessageStatus } from '#contract/messages/messages.ts';

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

/** What a status is about, and what to do. */
export function meaningOf({ channel, status }: Pick<MessageRecord, 'channel' | 'status'>): string {
  const isCall = channel === 'voice_call';
  const meanings: Readonly<Record<MessageStatus, string>> = {
    queued: 'It is being handed to the carrier.',
    sent: 'The carrier has it. Some countries report no more than that.',
    unknown:
      'It may have arrived: the carrier’s response was lost, or no receipt came. It is not sent again by itself; the recipient knows whether it came.',
    delivered: isCall ? 'The call was taken, and the text spoken to its end.' : 'It is on the phone.',
    undelivered: isCall
      ? 'Nobody took the call. Try again at another time, or check the number.'
      : 'The carrier could not deliver it. Check the number, or try again later.',
    failed: 'It was refused or never handed over, and cost nothing. Check the number and the text, then send it again.',
  };
  return meanings[status];
}

const regions = new Intl.DisplayNames('en', { type: 'region' });

/** English name of a country by its ISO 3166-1 code. */
export const countryName = (code: string): string => regions.of(code) ?? code;
