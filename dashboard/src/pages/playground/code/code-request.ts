import type { InferInput } from 'valibot';
import type { AnalysisRequest } from '#contract/analysis/analysis.ts';
import type { Route } from '#contract/http/route.ts';
import type { ChatRequest, CompletionRequest, EmbeddingsRequest } from '#contract/inference/requests.ts';
import type { TranslationRequest } from '#contract/inference/translation.ts';
import { analysisRoutes } from '#contract/routes/analysis.ts';
import { inferenceRoutes } from '#contract/routes/inference.ts';

export type ChatBody = InferInput<typeof ChatRequest>;

/** What code is written for: a body as its route takes it. */
export type CodeRequest =
  | { readonly kind: 'chat'; readonly body: ChatBody }
  | { readonly kind: 'completion'; readonly body: InferInput<typeof CompletionRequest> }
  | { readonly kind: 'embeddings'; readonly body: InferInput<typeof EmbeddingsRequest> }
  | { readonly kind: 'analysis'; readonly body: InferInput<typeof AnalysisRequest> }
  | { readonly kind: 'translation'; readonly body: InferInput<typeof TranslationRequest> };

export const routeOf: Readonly<Record<CodeRequest['kind'], Route>> = {
  chat: inferenceRoutes.createChatCompletion,
  completion: inferenceRoutes.createCompletion,
  embeddings: inferenceRoutes.createEmbeddings,
  analysis: analysisRoutes.analyze,
  translation: inferenceRoutes.translate,
};

export const isStreamed = (request: CodeRequest): boolean => 'stream' in request.body && request.body.stream === true;
/** What OpenAI's API does not have. */
export type OwnRequest = Extract<CodeRequest, { kind: 'analysis' | 'translation' }>;
export const isOwn = (request: CodeRequest): request is OwnRequest =>
  request.kind === 'analysis' || request.kind === 'translation';

export const hasFunctions = (request: CodeRequest): boolean =>
  request.kind === 'chat' && (request.body.functions ?? []).length > 0;
