import * as v from 'valibot';
import { findModel } from '#contract/inference/models.ts';
import type { Completion } from '#contract/inference/requests.ts';
import { limits } from '#contract/shared/limits.ts';
import type { TokenEncoding, Tokenizer } from '../shared/ports.ts';
import { contextLengthExceeded } from '../shared/service-error.ts';
import { cleanText } from '../shared/text.ts';
import { refuseLongOutput, type ResponseMetadata } from './chat.ts';
import {
  type DeliveredText,
  type EndReason,
  endReason,
  type ModelChunk,
  type ModelUsage,
  ReportedUsage,
  totalled,
} from './model-stream.ts';
import { modelSampling, type Proof, type Sampling, TokenCount, decodedTexts } from './order.ts';

/** Default for requests without `max_tokens` (docs/specification.md#post-completions). */
const defaultMaxTokens = 100;

export interface Prompt extends Sampling {
  readonly model: string;
  /** Text, or its token ids. */
  readonly prompt: string | readonly number[];
  readonly max_tokens?: number | null | undefined;
  readonly stream: boolean;
  /** Options that the container receives unchanged. */
  readonly extras?: object;
}

export interface ModelCompletionRequest {
  readonly prompt: string;
  readonly max_tokens: number;
  readonly [parameter: string]: unknown;
}

export const ModelCompletionReply = v.object({
  choices: v.pipe(
    v.array(
      v.object({
        text: v.pipe(v.string(), v.transform(cleanText)),
        finish_reason: v.nullish(v.string()),
        logprobs: v.optional(v.unknown()),
      }),
    ),
    v.minLength(1),
  ),
  usage: v.optional(ReportedUsage),
});
export type ModelCompletionReply = v.InferOutput<typeof ModelCompletionReply>;

export async function toModelCompletion(request: Prompt, tokenizer: TokenEncoding, prove: Proof) {
  const { model, extras } = request;
  const requested = request.max_tokens ?? undefined;
  const { contextWindow: window = 0, maxOutputTokens = 0 } = findModel(model, 'completion') ?? {};
  refuseLongOutput(requested, { model, window, maxOutputTokens });
  const decoding = { model, window, maxBytes: limits.bodyBytes, path: 'prompt', tokenizer, prove };
  const [prompt = ''] =
    typeof request.prompt === 'string' ? [request.prompt] : await decodedTexts([request.prompt], decoding);
  const count = new TokenCount([prompt], tokenizer);
  const wanted = requested ?? Math.min(defaultMaxTokens, maxOutputTokens);
  const tokens = await count.bound(window - wanted, window, prove);
  if (tokens + (requested ?? 1) > window) throw contextLengthExceeded(model, window, tokens, requested ?? 1);
  const maxTokens = requested ?? Math.min(wanted, window - tokens);
  const body: ModelCompletionRequest = { prompt, max_tokens: maxTokens, ...modelSampling(request), ...extras };
  return { body, promptTokens: tokens, count };
}

export interface CompletionEnd {
  readonly reason: EndReason;
  readonly usage: ModelUsage;
}

export interface CompletionReply extends CompletionEnd {
  readonly text: string;
  /** Log probabilities as reported by the model, not validated. */
  readonly logprobs?: unknown;
}

export interface CompletionFormat<Body> {
  /** `prompt`: repeated by some formats. */
  body(reply: CompletionReply, about: ResponseMetadata, prompt: string): Body;
  /** The chunk that precedes the first text. */
  promptChunk?(prompt: string, about: ResponseMetadata): unknown;
  textChunk(text: string, about: ResponseMetadata, logprobs?: unknown): unknown;
  endChunks(end: CompletionEnd, about: ResponseMetadata): readonly unknown[];
  /** Chunks that follow the ends of several choices. */
  totalChunks?(usage: ModelUsage, about: ResponseMetadata): readonly unknown[];
}

/** The specification's format. The last chunk of a stream has empty text and the usage. */
export const specifiedCompletion: CompletionFormat<Completion> = {
  body: ({ text, reason, usage }, { id, created, model }) => ({
    id,
    object: 'text_completion',
    created,
    model,
    choices: [{ text, index: 0, logprobs: null, finish_reason: reason }],
    usage: totalled(usage),
  }),
  textChunk: (text, { id }) => ({ id, choices: [{ text, index: 0 }] }),
  endChunks: ({ usage }, { id }) => [{ id, choices: [{ text: '', index: 0 }], usage: totalled(usage) }],
};

export interface CompletionStream {
  readonly chunks: AsyncIterable<ModelChunk>;
  readonly format: Pick<CompletionFormat<unknown>, 'promptChunk' | 'textChunk' | 'endChunks'>;
  readonly prompt: string;
  readonly about: ResponseMetadata;
  readonly delivered: DeliveredText;
  readonly onUsage: (usage: ModelUsage | null | undefined) => Promise<ModelUsage>;
}

export async function* completionChunks({ chunks, format, prompt, about, delivered, onUsage }: CompletionStream) {
  let usage: ModelUsage | null | undefined;
  let reason: string | null | undefined;
  let isOpen = format.promptChunk === undefined;
  for await (const chunk of chunks) {
    if (!isOpen) yield format.promptChunk?.(prompt, about);
    isOpen = true;
    const [choice] = chunk.choices;
    usage = chunk.usage ?? usage;
    reason = choice?.finish_reason ?? reason;
    const text = choice?.text;
    if (!text) continue;
    delivered.add(text, usage);
    yield format.textChunk(text, about, choice.logprobs);
    if (delivered.isSuspicious && (await delivered.isOverlong())) {
      [usage, reason] = [undefined, 'length'];
      break;
    }
  }
  yield* format.endChunks({ reason: endReason(reason), usage: await onUsage(usage) }, about);
}

export function completionReply(reply: ModelCompletionReply, usage: ModelUsage): CompletionReply {
  const [choice] = reply.choices;
  return {
    text: choice?.text ?? '',
    logprobs: choice?.logprobs,
    reason: endReason(choice?.finish_reason),
    usage,
  };
}

/** Counts the tokens for containers that do not report them, the prompt's once. Output counts at most `maxTokens`. */
export function countedUsage(countPrompt: () => Promise<number>, maxTokens: number, tokenizer: Tokenizer) {
  let counted: Promise<number> | undefined;
  return async (output: string): Promise<ModelUsage> => {
    const completionTokens = await tokenizer.count(output);
    const prompt_tokens = await (counted ??= countPrompt());
    return { prompt_tokens, completion_tokens: Math.min(completionTokens, maxTokens) };
  };
}
