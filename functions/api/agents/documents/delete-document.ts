import { documentRoutes } from '#contract/routes/agents/documents.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const deleteDocument: Operation<typeof documentRoutes.deleteDocument> = async ({ agents }, { input, caller }) =>
  (await agents()).documents().remove(caller.accountId, input.path);

export const handler = endpoint(documentRoutes.deleteDocument, deleteDocument);
