import { agentRoutes } from '#contract/routes/agents.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const deleteDocument: Operation<typeof agentRoutes.deleteDocument> = async ({ agents }, { input, caller }) =>
  (await agents()).documents().remove(caller.accountId, input.path);

export const handler = endpoint(agentRoutes.deleteDocument, deleteDocument);
