import { agentRoutes } from '#contract/routes/agents.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const listConversations: Operation<typeof agentRoutes.listConversations> = async ({ agents }, { input, caller }) =>
  (await agents()).conversations().list(caller.accountId, input.path.id, input.query);

export const handler = endpoint(agentRoutes.listConversations, listConversations);
