import type { InferInput } from 'valibot';
import type { NewMessage as AgentMessage } from '#contract/agents/conversations.ts';
import type { AnalysisRequest } from '#contract/analysis/analysis.ts';
import type { SpeechFormat, SpeechRequest } from '#contract/audio/speech.ts';
import type { TranscriptionRequest } from '#contract/audio/transcription.ts';
import type { NewUpload } from '#contract/audio/transcriptions.ts';
import type { Route } from '#contract/http/route.ts';
import type { ChatRequest, CompletionRequest, EmbeddingsRequest } from '#contract/inference/requests.ts';
import type { TranslationRequest } from '#contract/inference/translation.ts';
import type { NewMessage } from '#contract/messages/messages.ts';
import { analysisRoutes } from '#contract/routes/analysis.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { inferenceRoutes } from '#contract/routes/inference/inference.ts';
import { messageRoutes } from '#contract/routes/messages.ts';
import { commented, curlCommand, jsonLiteral, shellQuoted } from './literals.ts';

export type ChatBody = InferInput<typeof ChatRequest>;

/** JSON that is sent, and comes back: a body as its route takes it. */
export type TextRequest =
  | { readonly kind: 'chat'; readonly body: ChatBody }
  | { readonly kind: 'completion'; readonly body: InferInput<typeof CompletionRequest> }
  | { readonly kind: 'embeddings'; readonly body: InferInput<typeof EmbeddingsRequest> }
  | { readonly kind: 'analysis'; readonly body: InferInput<typeof AnalysisRequest> }
  | { readonly kind: 'translation'; readonly body: InferInput<typeof TranslationRequest> }
  | AgentRequest
  | MessageRequest;

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

/** A file of more than a request takes: it is uploaded as `contentType`, and transcribed by a job. */
export interface LongTranscriptionCode extends Omit<TranscriptionCode, 'kind'> {
  readonly kind: 'long-transcription';
  readonly contentType: NewUpload['contentType'];
}

/** What one request does. */
export type SingleRequest = TextRequest | SpeechCode | TranscriptionCode;

/** What code is written for. */
export type CodeRequest = SingleRequest | LongTranscriptionCode;

/** A message to an agent, in a conversation that the path names. */
export interface AgentRequest {
  readonly kind: 'agent';
  readonly path: string;
  readonly body: Pick<InferInput<typeof AgentMessage>, 'content'>;
  /** Whether the agent has functions, which a reply may call. */
  readonly hasFunctions: boolean;
}

/** A message to a phone, which the code sends once with its Idempotency-Key, however often it runs. */
interface MessageRequest {
  readonly kind: 'message';
  readonly body: InferInput<typeof NewMessage>;
  readonly idempotencyKey: string;
}

const routeOf: Readonly<Record<Exclude<TextRequest['kind'], 'agent'>, Route>> = {
  chat: inferenceRoutes.createChatCompletion,
  completion: inferenceRoutes.createCompletion,
  embeddings: inferenceRoutes.createEmbeddings,
  analysis: analysisRoutes.analyze,
  translation: inferenceRoutes.translate,
  message: messageRoutes.sendMessage,
};

export const pathOf = (request: TextRequest): string =>
  request.kind === 'agent' ? request.path : routeOf[request.kind].path;

export const isStreamed = (request: TextRequest): boolean => 'stream' in request.body && request.body.stream === true;
/** What OpenAI's API does not have. */
export type OwnRequest = Extract<TextRequest, { kind: 'analysis' | 'translation' | 'agent' | 'message' }>;
export const isOwn = (request: TextRequest): request is OwnRequest =>
  ['analysis', 'translation', 'agent', 'message'].includes(request.kind);

/** Headers beside those of the key and the body. */
export const headersOf = (request: TextRequest): Readonly<Record<string, string>> =>
  request.kind === 'message' ? { 'Idempotency-Key': request.idempotencyKey } : {};

/** What a reader of the code is to know. */
export const noteOf = (request: TextRequest): string | undefined =>
  request.kind === 'message' ? 'A new Idempotency-Key for each message: the same key again sends nothing.' : undefined;

export const hasFunctions = (request: TextRequest): boolean =>
  request.kind === 'agent'
    ? request.hasFunctions
    : request.kind === 'chat' && (request.body.functions ?? []).length > 0;

/** Languages that code is written in, by their ids. */
export const titles = [
  ['curl', 'cURL'],
  ['python', 'Python'],
  ['javascript', 'JavaScript'],
  ['openai-python', 'OpenAI SDK (Python)'],
  ['openai-node', 'OpenAI SDK (Node)'],
  ['ai-sdk', 'AI SDK'],
] as const;

/** Code by the id of its language. */
export type CodeOf = Readonly<Partial<Record<(typeof titles)[number][0], string | undefined>>>;

/** A request for a terminal, whatever is sent and comes back. */
export function curlOf(origin: string, request: SingleRequest): string {
  if (request.kind === 'speech') return speechCurl(origin, request);
  if (request.kind === 'transcription') return transcriptionCurl(origin, request);
  return commented('#', noteOf(request)) + curlCommand(origin, pathOf(request), request.body, headersOf(request));
}

/** A refusal is shown, and no file with the name of audio. */
const speechCurl = (
  origin: string,
  { body }: SpeechCode,
): string => `curl -sSf ${shellQuoted(origin + audioRoutes.createSpeech.path)} \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Accept: audio/*' \\
  -d ${shellQuoted(jsonLiteral(body))} \\
  -o ${speechFile(body.format)}`;

function transcriptionCurl(origin: string, { file, body }: TranscriptionCode): string {
  const parts = [`file=@${file}`, ...Object.entries(body).map(([name, value]) => `${name}=${value}`)];
  return `curl -s ${shellQuoted(origin + audioRoutes.createTranscription.path)} \\
  -H "Authorization: Bearer $API_KEY" \\
${parts.map((part) => `  -F ${shellQuoted(part)}`).join(' \\\n')}`;
}

/** What a file of speech is called. */
export const speechFile = (format: SpeechFormat = 'mp3'): string => `speech.${format}`;
