import type { InferInput } from 'valibot';
import type { NewMessage } from '#contract/agents/conversations.ts';
import type { AnalysisRequest } from '#contract/analysis/analysis.ts';
import type { SpeechRequest } from '#contract/audio/speech.ts';
import type { TranscriptionRequest } from '#contract/audio/transcription.ts';
import type { Route } from '#contract/http/route.ts';
import type { ChatRequest, CompletionRequest, EmbeddingsRequest } from '#contract/inference/requests.ts';
import type { TranslationRequest } from '#contract/inference/translation.ts';
import { analysisRoutes } from '#contract/routes/analysis.ts';
import { inferenceRoutes } from '#contract/routes/inference.ts';

export type ChatBody = InferInput<typeof ChatRequest>;

/** JSON that is sent, and comes back: a body as its route takes it. */
export type TextRequest =
  | { readonly kind: 'chat'; readonly body: ChatBody }
  | { readonly kind: 'completion'; readonly body: InferInput<typeof CompletionRequest> }
  | { readonly kind: 'embeddings'; readonly body: InferInput<typeof EmbeddingsRequest> }
  | { readonly kind: 'analysis'; readonly body: InferInput<typeof AnalysisRequest> }
  | { readonly kind: 'translation'; readonly body: InferInput<typeof TranslationRequest> }
  | AgentRequest;

/** Audio that comes back, in a file of its format. */
export interface SpeechCode {
  readonly kind: 'speech';
  readonly body: InferInput<typeof SpeechRequest>;
}

/** A file that is sent; the code names it, and must not be led astray by its name: letters, digits and dots. */
export interface TranscriptionCode {
  readonly kind: 'transcription';
  readonly file: string;
  readonly body: Omit<InferInput<typeof TranscriptionRequest>, 'audio'>;
}

/** What code is written for. */
export type CodeRequest = TextRequest | SpeechCode | TranscriptionCode;

/** A message to an agent, in a conversation that the path names. */
export interface AgentRequest {
  readonly kind: 'agent';
  readonly path: string;
  readonly body: Pick<InferInput<typeof NewMessage>, 'content'>;
  /** Whether the agent has functions, which a reply may call. */
  readonly hasFunctions: boolean;
}

const routeOf: Readonly<Record<Exclude<TextRequest['kind'], 'agent'>, Route>> = {
  chat: inferenceRoutes.createChatCompletion,
  completion: inferenceRoutes.createCompletion,
  embeddings: inferenceRoutes.createEmbeddings,
  analysis: analysisRoutes.analyze,
  translation: inferenceRoutes.translate,
};

export const pathOf = (request: TextRequest): string =>
  request.kind === 'agent' ? request.path : routeOf[request.kind].path;

export const isStreamed = (request: TextRequest): boolean => 'stream' in request.body && request.body.stream === true;
/** What OpenAI's API does not have. */
export type OwnRequest = Extract<TextRequest, { kind: 'analysis' | 'translation' | 'agent' }>;
export const isOwn = (request: TextRequest): request is OwnRequest =>
  request.kind === 'analysis' || request.kind === 'translation' || request.kind === 'agent';

export const hasFunctions = (request: TextRequest): boolean =>
  request.kind === 'agent'
    ? request.hasFunctions
    : request.kind === 'chat' && (request.body.functions ?? []).length > 0;
