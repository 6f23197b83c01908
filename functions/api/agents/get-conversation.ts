import { agentRoutes } from '#contract/routes/agents.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const getConversation: Operation<typeof agentRoutes.getConversation> = async ({ agents }, { input, caller }) =>
  (await agents()).conversations().get(caller.accountId, input.path, input.query);

export const handler = endpoint(agentRoutes.getConversation, getConversation);
