import { conversationRoutes } from '#contract/routes/agents/conversations.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const createConversation: Operation<typeof conversationRoutes.createConversation> = async (
  { agents },
  { input, caller },
) => (await agents()).conversations().create(caller.accountId, input.path.id);

export const handler = endpoint(conversationRoutes.createConversation, createConversation);
