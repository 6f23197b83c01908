import { conversationRoutes } from '#contract/routes/agents/conversations.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getConversation: Operation<typeof conversationRoutes.getConversation> = async ({ agents }, { input, caller }) =>
  (await agents()).conversations().get(caller.accountId, input.path, input.query);

export const handler = endpoint(conversationRoutes.getConversation, getConversation);
