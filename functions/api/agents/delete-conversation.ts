import { agentRoutes } from '#contract/routes/agents.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const deleteConversation: Operation<typeof agentRoutes.deleteConversation> = async ({ agents }, { input, caller }) =>
  (await agents()).conversations().remove(caller.accountId, input.path);

export const handler = endpoint(agentRoutes.deleteConversation, deleteConversation);
