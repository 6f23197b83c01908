import { documentRoutes } from '#contract/routes/agents/documents.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listDocuments: Operation<typeof documentRoutes.listDocuments> = async ({ agents }, { input, caller }) =>
  (await agents()).documents().list(caller.accountId, input.path.id, input.query);

export const handler = endpoint(documentRoutes.listDocuments, listDocuments);
