import { agentRoutes } from '#contract/routes/agents.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const getAgent: Operation<typeof agentRoutes.getAgent> = async ({ agents }, { input, caller }) =>
  (await agents()).management().get(caller.accountId, input.path.id);

export const handler = endpoint(agentRoutes.getAgent, getAgent);
