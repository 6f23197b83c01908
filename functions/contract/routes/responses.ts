import { defineRoute, type Route } from '../http/route.ts';
import { CompactedResponse, DeletedResponse, InputItemList, ResponseObject } from '../inference/response-items.ts';
import {
  CompactionRequest,
  InputItemsQuery,
  ResponsePath,
  ResponseQuery,
  ResponseRequest,
} from '../inference/responses.ts';
import { modelCalls } from './model-calls.ts';

const path = '/openai/v1/responses';

const stored = { credential: 'key', pathInput: ResponsePath, refusals: ['NOT_FOUND'] } as const;
const reading = { tables: { meters: 'read', responses: 'read' } } as const;

/** The Responses API of OpenAI and Open Responses: the models, prices and limits of chat. */
export const responseRoutes = {
  createResponse: defineRoute({
    ...modelCalls.chat,
    id: 'create-response',
    path,
    summary: 'Create a response',
    bodyInput: ResponseRequest,
    output: ResponseObject,
    refusals: ['NOT_FOUND'],
    uses: { tables: { meters: 'write', idempotency: 'delete', responses: 'write' }, inference: true, content: 'write' },
  }),
  compactResponse: defineRoute({
    ...modelCalls.chat,
    id: 'compact-response',
    path: `${path}/compact`,
    summary: 'Summarize a conversation',
    note: 'The compaction item replaces the conversation in the `input` of further requests.',
    bodyInput: CompactionRequest,
    output: CompactedResponse,
    refusals: ['NOT_FOUND'],
    uses: { tables: { meters: 'write', idempotency: 'delete', responses: 'read' }, inference: true, content: 'write' },
  }),
  getResponse: defineRoute({
    ...stored,
    id: 'get-response',
    method: 'GET',
    path: `${path}/{id}`,
    summary: 'Get a stored response',
    queryInput: ResponseQuery,
    output: ResponseObject,
    uses: reading,
  }),
  deleteResponse: defineRoute({
    ...stored,
    id: 'delete-response',
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'Delete a stored response',
    output: DeletedResponse,
    uses: { tables: { meters: 'read', responses: 'delete' } },
  }),
  listInputItems: defineRoute({
    ...stored,
    id: 'list-input-items',
    method: 'GET',
    path: `${path}/{id}/input_items`,
    summary: 'List the input items of a stored response',
    queryInput: InputItemsQuery,
    output: InputItemList,
    uses: reading,
  }),
  cancelResponse: defineRoute({
    ...stored,
    id: 'cancel-response',
    method: 'POST',
    path: `${path}/{id}/cancel`,
    summary: 'Stop a streamed response',
    output: ResponseObject,
    refusals: ['NOT_FOUND', 'INVALID_STATE'],
    uses: { tables: { meters: 'write', ledger: 'read', responses: 'read' }, archive: 'read' },
  }),
} as const satisfies Record<string, Route>;
