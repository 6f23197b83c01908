import { agentRoutes } from '#contract/routes/agents.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const createConversation: Operation<typeof agentRoutes.createConversation> = async ({ agents }, { input, caller }) =>
  (await agents()).conversations().create(caller.accountId, input.path.id);

export const handler = endpoint(agentRoutes.createConversation, createConversation);
