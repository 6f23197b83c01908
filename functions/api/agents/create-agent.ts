import { agentRoutes } from '#contract/routes/agents/agents.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const createAgent: Operation<typeof agentRoutes.createAgent> = async ({ agents }, { input, caller }) =>
  (await agents()).management().create(caller.accountId, input.body);

export const handler = endpoint(agentRoutes.createAgent, createAgent);
