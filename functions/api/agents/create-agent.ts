import { agentRoutes } from '#contract/routes/agents.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const createAgent: Operation<typeof agentRoutes.createAgent> = async ({ agents }, { input, caller }) =>
  (await agents()).management().create(caller.accountId, input.body);

export const handler = endpoint(agentRoutes.createAgent, createAgent);
