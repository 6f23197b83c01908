import { conversationRoutes } from '#contract/routes/agents/conversations.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const deleteConversation: Operation<typeof conversationRoutes.deleteConversation> = async (
  { agents },
  { input, caller },
) => (await agents()).conversations().remove(caller.accountId, input.path);

export const handler = endpoint(conversationRoutes.deleteConversation, deleteConversation);
