import { agentRoutes } from '#contract/routes/agents/agents.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getAgent: Operation<typeof agentRoutes.getAgent> = async ({ agents }, { input, caller }) =>
  (await agents()).management().get(caller.accountId, input.path.id);

export const handler = endpoint(agentRoutes.getAgent, getAgent);
