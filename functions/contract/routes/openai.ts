import { defineRoute, type Route } from '../http/route.ts';
import {
  ModelPath,
  OpenAiChatCompletion,
  OpenAiChatRequest,
  OpenAiCompletion,
  OpenAiCompletionRequest,
  OpenAiEmbeddingsRequest,
  OpenAiModelList,
} from '../inference/openai.ts';
import { EmbeddingList, ListedModel } from '../inference/requests.ts';
import { modelCalls } from './model-calls.ts';

/** OpenAI-compatible inference: the same models, prices and charges, with bare responses and `error` objects. */
export const openAiRoutes = {
  createOpenAiChatCompletion: defineRoute({
    ...modelCalls.chat,
    id: 'create-openai-chat-completion',
    path: '/openai/v1/chat/completions',
    summary: 'Create a chat completion, for OpenAI clients',
    bodyInput: OpenAiChatRequest,
    output: OpenAiChatCompletion,
  }),
  createOpenAiCompletion: defineRoute({
    ...modelCalls.completion,
    id: 'create-openai-completion',
    path: '/openai/v1/completions',
    summary: 'Create a text completion, for OpenAI clients',
    bodyInput: OpenAiCompletionRequest,
    output: OpenAiCompletion,
  }),
  createOpenAiEmbeddings: defineRoute({
    ...modelCalls.embeddings,
    id: 'create-openai-embeddings',
    path: '/openai/v1/embeddings',
    summary: 'Create embeddings, for OpenAI clients',
    bodyInput: OpenAiEmbeddingsRequest,
    output: EmbeddingList,
    // 2,048 vectors as numbers are 60 MB of JSON, of which API Gateway sends 2 MB per second after the first 10.
    timeoutSeconds: 120,
    memoryMb: 1024,
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
