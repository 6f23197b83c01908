import { agentRoutes } from '#contract/routes/agents.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const listDocuments: Operation<typeof agentRoutes.listDocuments> = async ({ agents }, { input, caller }) =>
  (await agents()).documents().list(caller.accountId, input.path.id, input.query);

export const handler = endpoint(agentRoutes.listDocuments, listDocuments);
