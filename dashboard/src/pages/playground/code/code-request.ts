import type { InferInput } from 'valibot';
import type { NewMessage } from '#contract/agents/conversations.ts';
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
  | { readonly kind: 'translation'; readonly body: InferInput<typeof TranslationRequest> }
  | AgentRequest;

/** A message to an agent, in a conversation that the path names. */
export interface AgentRequest {
  readonly kind: 'agent';
  readonly path: string;
  readonly body: Pick<InferInput<typeof NewMessage>, 'content'>;
  /** Whether the agent has functions, which a reply may call. */
  readonly hasFunctions: boolean;
}

const routeOf: Readonly<Record<Exclude<CodeRequest['kind'], 'agent'>, Route>> = {
  chat: inferenceRoutes.createChatCompletion,
  completion: inferenceRoutes.createCompletion,
  embeddings: inferenceRoutes.createEmbeddings,
  analysis: analysisRoutes.analyze,
  translation: inferenceRoutes.translate,
};

export const pathOf = (request: CodeRequest): string =>
  request.kind === 'agent' ? request.path : routeOf[request.kind].path;

export const isStreamed = (request: CodeRequest): boolean => 'stream' in request.body && request.body.stream === true;
/** What OpenAI's API does not have. */
export type OwnRequest = Extract<CodeRequest, { kind: 'analysis' | 'translation' | 'agent' }>;
export const isOwn = (request: CodeRequest): request is OwnRequest =>
  request.kind === 'analysis' || request.kind === 'translation' || request.kind === 'agent';

export const hasFunctions = (request: CodeRequest): boolean =>
  request.kind === 'agent'
    ? request.hasFunctions
    : request.kind === 'chat' && (request.body.functions ?? []).length > 0;
