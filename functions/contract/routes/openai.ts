import { defineRoute, type Route } from '../http/route.ts';
import { ModelPath, OpenAiCompletionRequest, OpenAiEmbeddingsRequest, OpenAiModelList } from '../inference/openai.ts';
import { OpenAiChatCompletion, OpenAiChatRequest } from '../inference/openai-chat.ts';
import { Completion, EmbeddingList, ListedModel } from '../inference/requests.ts';
import { limits } from '../shared/limits.ts';

/** The inference operations for OpenAI's clients: the same models, prices and charges, bare responses, `error` objects. */
export const openAiRoutes = {
  createOpenAiChatCompletion: defineRoute({
    id: 'create-openai-chat-completion',
    method: 'POST',
    path: '/openai/v1/chat/completions',
    summary: 'Create a chat completion, for OpenAI clients',
    credential: 'key',
    bodyInput: OpenAiChatRequest,
    output: OpenAiChatCompletion,
    priced: { service: 'chat', capability: 'chat' },
    idempotent: true,
    uses: { tables: { meters: 'write', idempotency: 'delete' }, inference: true },
    streaming: true,
    timeoutSeconds: 300,
  }),
  createOpenAiCompletion: defineRoute({
    id: 'create-openai-completion',
    method: 'POST',
    path: '/openai/v1/completions',
    summary: 'Create a text completion, for OpenAI clients',
    credential: 'key',
    bodyInput: OpenAiCompletionRequest,
    output: Completion,
    priced: { service: 'completion', capability: 'completion' },
    idempotent: true,
    uses: { tables: { meters: 'write', idempotency: 'delete' }, inference: true },
    streaming: true,
    timeoutSeconds: 300,
  }),
  createOpenAiEmbeddings: defineRoute({
    id: 'create-openai-embeddings',
    method: 'POST',
    path: '/openai/v1/embeddings',
    summary: 'Create embeddings, for OpenAI clients',
    credential: 'key',
    bodyInput: OpenAiEmbeddingsRequest,
    output: EmbeddingList,
    priced: { service: 'embeddings', capability: 'embeddings' },
    idempotent: true,
    uses: { tables: { meters: 'write', idempotency: 'delete' }, inference: true },
    streaming: true,
    maxBodyBytes: limits.embeddingsBodyBytes,
  }),
  listOpenAiModels: defineRoute({
    id: 'list-openai-models',
    method: 'GET',
    path: '/openai/v1/models',
    summary: 'List the models, for OpenAI clients',
    credential: 'key',
    output: OpenAiModelList,
    uses: { tables: { meters: 'read' } },
  }),
  getOpenAiModel: defineRoute({
    id: 'get-openai-model',
    method: 'GET',
    path: '/openai/v1/models/{model}',
    summary: 'Get a model, for OpenAI clients',
    credential: 'key',
    pathInput: ModelPath,
    output: ListedModel,
    refusals: ['NOT_FOUND'],
    uses: { tables: { meters: 'read' } },
  }),
} as const satisfies Record<string, Route>;
