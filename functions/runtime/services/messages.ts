import { setTimeout as sleep } from 'node:timers/promises';
import { messageList } from '#domain/messages/message-service.ts';
import { receiptService } from '#domain/messages/receipts.ts';
import { messageStore } from '#repositories/messages/messages.ts';
import { lazy } from '../process.ts';
import type { CoreServices } from './core-services.ts';
import { dynamoClient } from './dynamo-client.ts';

const pause = (ms: number): Promise<void> => sleep(ms);

export function messageServices({ clock, table, metering }: CoreServices) {
  const messages = lazy(() =>
    messageStore(dynamoClient(), { messages: table('messages'), meters: () => table('meters') }),
  );
  return {
    list: lazy(() => messageList(messages(), clock)),
    receipts: lazy(() => receiptService({ messages: messages(), metering: metering(), clock, pause })),
  };
}
