import { agentRoutes } from '#contract/routes/agents.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const deleteAgent: Operation<typeof agentRoutes.deleteAgent> = async ({ agents }, { input, caller }) =>
  (await agents()).management().remove(caller.accountId, input.path.id);

export const handler = endpoint(agentRoutes.deleteAgent, deleteAgent);
