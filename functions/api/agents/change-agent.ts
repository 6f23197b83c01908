import { agentRoutes } from '#contract/routes/agents/agents.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const changeAgent: Operation<typeof agentRoutes.changeAgent> = async ({ agents }, { input, caller }) =>
  (await agents()).management().change(caller.accountId, input.path.id, input.body);

export const handler = endpoint(agentRoutes.changeAgent, changeAgent);
