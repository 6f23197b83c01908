import { messagesPlan } from '../billing/plans.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { Message, MessageList, MessageListQuery, MessagePath, NewMessage } from '../messages/messages.ts';
import { developerAccess } from './common-settings.ts';

const reading = { tables: { accounts: 'write', meters: 'read', messages: 'read' } } as const;

/** SMS and voice calls. */
export const messageRoutes = {
  sendMessage: defineRoute({
    ...developerAccess,
    id: 'send-message',
    method: 'POST',
    path: '/api/messages',
    summary: 'Send an SMS or make a voice call',
    note: 'The message is handed to the carrier once. If the response of the carrier is lost, its status is unknown.',
    bodyInput: NewMessage,
    output: Message,
    success: { status: 201, message: 'SUCCESS' },
    refusals: ['RECIPIENT_OPTED_OUT', 'DELIVERY_ERROR'],
    priced: { service: 'sms', minPlanRank: messagesPlan.id, settlesItself: true },
    idempotent: true,
    uses: {
      tables: { accounts: 'write', meters: 'write', messages: 'write', idempotency: 'delete' },
      messaging: true,
    },
  }),
  listMessages: defineRoute({
    ...developerAccess,
    id: 'list-messages',
    method: 'GET',
    path: '/api/messages',
    summary: 'List the messages, newest first',
    queryInput: MessageListQuery,
    output: MessageList,
    uses: reading,
  }),
  getMessage: defineRoute({
    ...developerAccess,
    id: 'get-message',
    method: 'GET',
    path: '/api/messages/{id}',
    summary: 'Get a message',
    pathInput: MessagePath,
    output: Message,
    refusals: ['NOT_FOUND'],
    uses: reading,
  }),
} as const satisfies Record<string, Route>;
