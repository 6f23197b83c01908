import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type Message, messageView, statusAt } from './message.ts';
import type { MessagePageRequest, MessageStore } from './ports.ts';

/** What an account has sent in the last 30 days, for the account to read. */
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
