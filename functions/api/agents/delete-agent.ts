import { agentRoutes } from '#contract/routes/agents/agents.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const deleteAgent: Operation<typeof agentRoutes.deleteAgent> = async ({ agents }, { input, caller }) =>
  (await agents()).management().remove(caller.accountId, input.path.id);

export const handler = endpoint(agentRoutes.deleteAgent, deleteAgent);
