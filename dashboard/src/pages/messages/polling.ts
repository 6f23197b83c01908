import type { InferOutput } from 'valibot';
import type { Message } from '#contract/messages/messages.ts';

type MessageRecord = InferOutput<typeof Message>;

const second = 1000;
const minute = 60 * second;

/** How often a message is looked at again by its age, in ms: one that is still on its way after 15 minutes may stay so. */
const polls = [
  { until: 30 * second, every: second },
  { until: 3 * minute, every: 3 * second },
  { until: 15 * minute, every: 15 * second },
] as const;

/** After how many ms messages are to be read again; false where none changes any more. `now` in epoch ms. */
export function pollMsOf(
  messages: readonly Pick<MessageRecord, 'status' | 'createdAt'>[],
  now: number,
): number | false {
  const moving = messages.filter(({ status }) => status === 'queued' || status === 'sent');
  const age = now - Math.max(...moving.map(({ createdAt }) => Date.parse(createdAt)));
  return polls.find(({ until }) => age < until)?.every ?? false;
}
