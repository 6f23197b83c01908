import { AgentPath } from '../../agents/agents.ts';
import { CreatedDocument, DocumentList, DocumentPath, DocumentQuery, NewDocument } from '../../agents/documents.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { limits } from '../../shared/limits.ts';
import { reading, deleting, path, created, shared, priced } from './access.ts';

/** Documents of an agent. */
export const documentRoutes = {
  createDocument: defineRoute({
    ...shared,
    id: 'create-document',
    method: 'POST',
    path: `${path}/{id}/documents`,
    summary: 'Add a document to an agent',
    note: 'It is embedded at the price of embeddings, and its passages are searched with each message.',
    pathInput: AgentPath,
    bodyInput: NewDocument,
    output: CreatedDocument,
    success: created,
    refusals: ['NOT_FOUND', 'INVALID_STATE'],
    priced: { service: 'embeddings', capability: 'embeddings' },
    idempotent: true,
    uses: { ...priced, tables: { ...priced.tables, agents: 'delete' } },
    streaming: true,
    maxBodyBytes: limits.documentBodyBytes,
    timeoutSeconds: 300,
  }),
  listDocuments: defineRoute({
    ...shared,
    id: 'list-documents',
    method: 'GET',
    path: `${path}/{id}/documents`,
    summary: 'List the documents of an agent, newest first',
    pathInput: AgentPath,
    queryInput: DocumentQuery,
    output: DocumentList,
    refusals: ['NOT_FOUND'],
    uses: reading,
  }),
  deleteDocument: defineRoute({
    ...shared,
    id: 'delete-document',
    method: 'DELETE',
    path: `${path}/{id}/documents/{documentId}`,
    summary: 'Delete a document of an agent',
    pathInput: DocumentPath,
    refusals: ['NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
    uses: deleting,
  }),
} as const satisfies Record<string, Route>;
