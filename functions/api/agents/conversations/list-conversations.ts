import { conversationRoutes } from '#contract/routes/agents/conversations.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listConversations: Operation<typeof conversationRoutes.listConversations> = async (
  { agents },
  { input, caller },
) => (await agents()).conversations().list(caller.accountId, input.path.id, input.query);

export const handler = endpoint(conversationRoutes.listConversations, listConversations);
