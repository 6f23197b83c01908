import * as v from 'valibot';
import { findModel } from '#contract/inference/models.ts';
import type { OpenAiCompletionRequest } from '#contract/inference/openai.ts';
import type { Completion } from '#contract/inference/requests.ts';
import type { Tokenizer } from '../shared/ports.ts';
import { overlong } from '../shared/service-error.ts';
import { cleanText } from '../shared/text.ts';
import type { About } from './chat.ts';
import {
  type DeliveredText,
  type EndReason,
  endReason,
  type ModelChunk,
  type ModelUsage,
  ReportedUsage,
  totalled,
} from './model-stream.ts';
import { modelSampling, type Proof, type Sampling, TokenCount } from './order.ts';

/** Requested when the caller sends no `max_tokens` (docs/specification.md#post-completions). */
const defaultMaxTokens = 100;

/** What a model is to continue, in whichever format it was requested. */
export interface Prompt extends Sampling {
  readonly model: string;
  readonly prompt: string;
  readonly max_tokens?: number | null | undefined;
  readonly stream: boolean;
}

export interface ModelCompletionRequest {
  readonly prompt: string;
  readonly max_tokens: number;
  readonly [parameter: string]: unknown;
}

/** The reply of an OpenAI-compatible container, as far as it is used. */
export const ModelCompletionReply = v.object({
  choices: v.pipe(
    v.array(v.object({ text: v.pipe(v.string(), v.transform(cleanText)), finish_reason: v.nullish(v.string()) })),
    v.minLength(1),
  ),
  usage: v.optional(ReportedUsage),
});
export type ModelCompletionReply = v.InferOutput<typeof ModelCompletionReply>;

/** The request to send, the most tokens it can come to, and the count of its prompt; refuses (400) what the model's context cannot hold. */
export async function toModelCompletion(request: Prompt, tokenizer: Tokenizer, prove: Proof) {
  const { model, prompt } = request;
  const requested = request.max_tokens ?? undefined;
  const window = findModel(model, 'completion')?.contextWindow ?? 0;
  const count = new TokenCount([prompt], tokenizer);
  const tokens = await count.bound(window - (requested ?? defaultMaxTokens), window, prove);
  if (tokens + (requested ?? 1) > window) throw overlong(model, window, tokens, requested ?? 1);
  const maxTokens = requested ?? Math.min(defaultMaxTokens, window - tokens);
  const body: ModelCompletionRequest = { prompt, max_tokens: maxTokens, ...modelSampling(request) };
  return { body, maxTokens: tokens + maxTokens, count };
}

export interface CompletionEnd {
  readonly reason: EndReason;
  readonly usage: ModelUsage;
}

/** How a completion looks from outside. */
export interface CompletionFormat<Body> {
  body(reply: CompletionEnd & { readonly text: string }, about: About): Body;
  textChunk(text: string, about: About): unknown;
  endChunks(end: CompletionEnd, about: About): readonly unknown[];
}

/** The specification's; the last chunk of a stream, with an empty text, carries the usage. */
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
  readonly format: Pick<CompletionFormat<unknown>, 'textChunk' | 'endChunks'>;
  readonly about: About;
  readonly delivered: DeliveredText;
  /** Makes usage that can be billed of what the model reported. */
  readonly onUsage: (usage: ModelUsage | null | undefined) => Promise<ModelUsage>;
}

/** The chunks of a streamed completion as its format has them. A model that goes on past its `max_tokens` is ended. */
export async function* completionChunks({ chunks, format, about, delivered, onUsage }: CompletionStream) {
  let usage: ModelUsage | null | undefined;
  let reason: string | null | undefined;
  for await (const chunk of chunks) {
    const [choice] = chunk.choices;
    usage = chunk.usage ?? usage;
    reason = choice?.finish_reason ?? reason;
    const text = choice?.text;
    if (!text) continue;
    delivered.add(text, usage);
    yield format.textChunk(text, about);
    if (delivered.isSuspicious && (await delivered.isOverlong())) {
      [usage, reason] = [undefined, 'length'];
      break;
    }
  }
  yield* format.endChunks({ reason: endReason(reason), usage: await onUsage(usage) }, about);
}

/** The text in the model's reply, and why it ended. */
export function completionReply(reply: ModelCompletionReply, usage: ModelUsage): CompletionEnd & { text: string } {
  const [choice] = reply.choices;
  return { text: choice?.text ?? '', reason: endReason(choice?.finish_reason), usage };
}

/** Our own count, where the container gives none; of output no more than was requested. */
export async function countedUsage(
  prompt: string,
  output: string,
  maxTokens: number,
  tokenizer: Tokenizer,
): Promise<ModelUsage> {
  const completionTokens = await tokenizer.count(output);
  return {
    prompt_tokens: await tokenizer.count(prompt),
    completion_tokens: Math.min(completionTokens, maxTokens),
  };
}

/** A completion as OpenAI's clients read it: the same object, and streams whose usage comes after the end, if requested. */
export function openAiCompletion(request: OpenAiCompletionRequest): CompletionFormat<Completion> {
  const includesUsage = request.stream_options?.include_usage ?? false;

  function chunk({ id, created, model }: About, choices: readonly object[], usage: object | null = null) {
    return { id, object: 'text_completion', created, model, choices, ...(includesUsage && { usage }) };
  }
  const part = (about: About, text: string, finish_reason: string | null) =>
    chunk(about, [{ text, index: 0, logprobs: null, finish_reason }]);

  return {
    body: (reply, about) => specifiedCompletion.body(reply, about),
    textChunk: (text, about) => part(about, text, null),
    endChunks: ({ reason, usage }, about) => [
      part(about, '', reason),
      ...(includesUsage ? [chunk(about, [], totalled(usage))] : []),
    ],
  };
}
