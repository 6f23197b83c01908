import { agentRoutes } from '#contract/routes/agents.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const listAgents: Operation<typeof agentRoutes.listAgents> = async ({ agents }, { input, caller }) =>
  (await agents()).management().list(caller.accountId, input.query);

export const handler = endpoint(agentRoutes.listAgents, listAgents);
