import { agentRoutes } from '#contract/routes/agents/agents.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listAgents: Operation<typeof agentRoutes.listAgents> = async ({ agents }, { input, caller }) =>
  (await agents()).management().list(caller.accountId, input.query);

export const handler = endpoint(agentRoutes.listAgents, listAgents);
