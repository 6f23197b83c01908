import { AgentPath } from '../agents/agents.ts';
import { AgentDocument, DocumentList, DocumentPath, DocumentQuery, NewDocument } from '../agents/documents.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { limits } from '../shared/limits.ts';
import { created, deleting, path, priced, reading } from './agents.ts';
import { developerAccess } from './common-settings.ts';

const { inference: _, ...withoutModel } = priced;

export const documentRoutes = {
  createDocument: defineRoute({
    ...developerAccess,
    id: 'create-document',
    method: 'POST',
    path: `${path}/{id}/documents`,
    summary: 'Add a document to an agent',
    note: 'It is indexed in the background, at the price of embeddings. Once its status is `ready`, its passages are searched with each message.',
    pathInput: AgentPath,
    bodyInput: NewDocument,
    output: AgentDocument,
    success: created,
    refusals: ['NOT_FOUND', 'INVALID_STATE'],
    priced: { service: 'embeddings', capability: 'embeddings', settlesItself: true },
    idempotent: true,
    uses: { ...withoutModel, tables: { ...priced.tables, agents: 'delete' }, queues: ['documents'] },
    maxBodyBytes: limits.documentBodyBytes,
  }),
  listDocuments: defineRoute({
    ...developerAccess,
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
    ...developerAccess,
    id: 'delete-document',
    method: 'DELETE',
    path: `${path}/{id}/documents/{documentId}`,
    summary: 'Delete a document of an agent',
    pathInput: DocumentPath,
    note: 'A document that is being indexed is refunded.',
    refusals: ['NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
    uses: { tables: { ...deleting.tables, meters: 'write' } },
  }),
} as const satisfies Record<string, Route>;
