import type { InferInput } from 'valibot';
import type { NewMessage as AgentMessage } from '#contract/agents/conversations.ts';
import type { AnalysisRequest } from '#contract/analysis/analysis.ts';
import type { SpeechFormat, SpeechRequest } from '#contract/audio/speech.ts';
import type { TranscriptionRequest, NewUpload } from '#contract/audio/transcription.ts';
import type { Route } from '#contract/http/route.ts';
import type { ChatRequest, CompletionRequest, EmbeddingsRequest } from '#contract/inference/requests.ts';
import type { TranslationRequest } from '#contract/inference/translation.ts';
import type { NewMessage } from '#contract/messages/messages.ts';
import { analysisRoutes } from '#contract/routes/analysis.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { inferenceRoutes } from '#contract/routes/inference.ts';
import { messageRoutes } from '#contract/routes/messages.ts';
import { commented, curlCommand, jsonLiteral, shellQuoted } from './literals.ts';

export type ChatBody = InferInput<typeof ChatRequest>;

/** A request with a JSON body and a JSON response. */
export type TextRequest =
  | { readonly kind: 'chat'; readonly body: ChatBody }
  | { readonly kind: 'completion'; readonly body: InferInput<typeof CompletionRequest> }
  | { readonly kind: 'embeddings'; readonly body: InferInput<typeof EmbeddingsRequest> }
  | { readonly kind: 'analysis'; readonly body: InferInput<typeof AnalysisRequest> }
  | { readonly kind: 'translation'; readonly body: InferInput<typeof TranslationRequest> }
  | AgentRequest
  | MessageRequest;

export interface SpeechCode {
  readonly kind: 'speech';
  readonly body: InferInput<typeof SpeechRequest>;
}

/** A request that uploads a file. `file` contains only letters, digits and dots, so that it is safe in a shell. */
export interface TranscriptionCode {
  readonly kind: 'transcription';
  readonly file: string;
  readonly body: Omit<InferInput<typeof TranscriptionRequest>, 'audio'>;
}

/** A file above the limit of one request, which is uploaded as `contentType` and transcribed by a job. */
export interface LongTranscriptionCode extends Omit<TranscriptionCode, 'kind'> {
  readonly kind: 'long-transcription';
  readonly contentType: NewUpload['contentType'];
}

/** A call that needs only one request. */
export type SingleRequest = TextRequest | SpeechCode | TranscriptionCode;

/** A call to generate code for. */
export type CodeRequest = SingleRequest | LongTranscriptionCode;

/** A message to an agent. `path` contains the conversation's id. */
export interface AgentRequest {
  readonly kind: 'agent';
  readonly path: string;
  readonly body: Pick<InferInput<typeof AgentMessage>, 'content'>;
  /** True if the agent has functions, which a reply may call. */
  readonly hasFunctions: boolean;
}

/** A message to a phone. The idempotency key makes the code send it once, however often it runs. */
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
/** Operations that OpenAI's API does not have. */
export type OwnRequest = Extract<TextRequest, { kind: 'analysis' | 'translation' | 'agent' | 'message' }>;
export const isOwn = (request: TextRequest): request is OwnRequest =>
  ['analysis', 'translation', 'agent', 'message'].includes(request.kind);

/** Headers other than authorization and content type. */
export const headersOf = (request: TextRequest): Readonly<Record<string, string>> =>
  request.kind === 'message' ? { 'Idempotency-Key': request.idempotencyKey } : {};

/** A comment for the generated code. */
export const noteOf = (request: TextRequest): string | undefined =>
  request.kind === 'message' ? 'Use a new Idempotency-Key for each message. A repeated key sends nothing.' : undefined;

export const hasFunctions = (request: TextRequest): boolean =>
  request.kind === 'agent'
    ? request.hasFunctions
    : request.kind === 'chat' && (request.body.functions ?? []).length > 0;

/** Languages of generated code, by id. */
export const titles = [
  ['curl', 'cURL'],
  ['python', 'Python'],
  ['javascript', 'JavaScript'],
  ['openai-python', 'OpenAI SDK (Python)'],
  ['openai-node', 'OpenAI SDK (Node)'],
  ['ai-sdk', 'AI SDK'],
] as const;

/** Code by language id. */
export type CodeOf = Readonly<Partial<Record<(typeof titles)[number][0], string | undefined>>>;

/** A curl command for any single request. */
export function curlOf(origin: string, request: SingleRequest): string {
  if (request.kind === 'speech') return speechCurl(origin, request);
  if (request.kind === 'transcription') return transcriptionCurl(origin, request);
  return commented('#', noteOf(request)) + curlCommand(origin, pathOf(request), request.body, headersOf(request));
}

// `-f` prevents curl from saving an error as audio.
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

/** File name of generated speech. */
export const speechFile = (format: SpeechFormat = 'mp3'): string => `speech.${format}`;
