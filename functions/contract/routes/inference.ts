import { defineRoute, type Route } from '../http/route.ts';
import {
  ChatCompletion,
  ChatRequest,
  Completion,
  CompletionRequest,
  EmbeddingList,
  EmbeddingsRequest,
  ModelList,
  RequestCancellation,
  RequestPath,
} from '../inference/requests.ts';
import { Translation, TranslationRequest } from '../inference/translation.ts';
import { developerAccess } from './common-settings.ts';
import { littleMemory, modelCalls } from './model-calls.ts';

export const inferenceRoutes = {
  translate: defineRoute({
    id: 'translate',
    method: 'POST',
    path: '/api/ai/translate',
    summary: 'Translate text',
    ...developerAccess,
    bodyInput: TranslationRequest,
    output: Translation,
    priced: { service: 'translation', capability: 'chat' },
    idempotent: true,
    uses: { tables: { accounts: 'write', meters: 'write', idempotency: 'delete' }, inference: true },
    timeoutSeconds: 28,
  }),
  listModels: defineRoute({
    id: 'list-models',
    method: 'GET',
    path: '/v1/models',
    summary: 'List the models',
    credential: 'key',
    output: ModelList,
    uses: { tables: { meters: 'read' } },
  }),
  createChatCompletion: defineRoute({
    ...modelCalls.chat,
    ...littleMemory,
    id: 'create-chat-completion',
    path: '/v1/chat/completions',
    summary: 'Create a chat completion',
    bodyInput: ChatRequest,
    output: ChatCompletion,
  }),
  createCompletion: defineRoute({
    ...modelCalls.completion,
    ...littleMemory,
    id: 'create-completion',
    path: '/v1/completions',
    summary: 'Create a text completion',
    bodyInput: CompletionRequest,
    output: Completion,
  }),
  createEmbeddings: defineRoute({
    ...modelCalls.embeddings,
    id: 'create-embeddings',
    path: '/v1/embeddings',
    summary: 'Create embeddings',
    bodyInput: EmbeddingsRequest,
    output: EmbeddingList,
  }),
  cancelRequest: defineRoute({
    id: 'cancel-request',
    method: 'POST',
    path: '/v1/requests/{requestId}/cancel',
    summary: 'Stop a running stream',
    credential: 'key',
    pathInput: RequestPath,
    output: RequestCancellation,
    refusals: ['NOT_FOUND', 'INVALID_STATE'],
    uses: { tables: { meters: 'write', ledger: 'read' }, archive: 'read' },
  }),
} as const satisfies Record<string, Route>;
