import * as v from 'valibot';
import type { Completion, CompletionRequest } from '#contract/inference.ts';
import { findModel } from '#contract/models.ts';
import { normalFinishReason } from './chat.ts';
import type { ModelChunk, ModelUsage } from './model-stream.ts';
import type { Tokenizer } from './ports.ts';
import { modelSampling } from './sampling.ts';
import { overlong } from './service-error.ts';
import { measure } from './tokens.ts';

/** Asked for when the caller sends no `max_tokens` (spec "POST /completions"). */
const defaultMaxTokens = 100;

export interface ModelCompletionRequest {
  readonly prompt: string;
  readonly max_tokens: number;
  readonly [parameter: string]: unknown;
}

/** The reply of an OpenAI-compatible container, as far as it is used. */
export const ModelCompletionReply = v.object({
  choices: v.pipe(v.array(v.object({ text: v.string(), finish_reason: v.nullish(v.string()) })), v.minLength(1)),
  usage: v.nullish(v.object({ prompt_tokens: v.number(), completion_tokens: v.number() })),
});
export type ModelCompletionReply = v.InferOutput<typeof ModelCompletionReply>;

/** The request to send, and the most tokens it can come to; refuses (400) what the model's context cannot hold. */
export async function toModelCompletion(request: CompletionRequest, tokenizer: Tokenizer) {
  const { model, prompt, max_tokens: asked } = request;
  const window = findModel(model, 'completion')?.contextWindow ?? 0;
  const { tokens, fits } = await measure([prompt], window - (asked ?? 1), tokenizer);
  if (!fits) throw overlong(model, window, tokens, asked ?? 1);
  const maxTokens = asked ?? Math.min(defaultMaxTokens, window - tokens);
  const body: ModelCompletionRequest = { prompt, max_tokens: maxTokens, ...modelSampling(request) };
  return { body, mostTokens: tokens + maxTokens };
}

export function toCompletion(
  reply: ModelCompletionReply,
  usage: ModelUsage,
  about: { id: string; created: number; model: string },
): Completion {
  const [choice] = reply.choices;
  return {
    id: about.id,
    object: 'text_completion',
    created: about.created,
    model: about.model,
    choices: [
      { text: choice?.text ?? '', index: 0, logprobs: null, finish_reason: normalFinishReason(choice?.finish_reason) },
    ],
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  };
}

/** Chunks as the specification has them; the last, with an empty text, carries the usage. */
export async function* completionChunks(
  chunks: AsyncIterable<ModelChunk>,
  id: string,
  onText: (text: string) => void,
  onUsage: (usage: ModelUsage | null | undefined) => Promise<ModelUsage>,
) {
  let usage: ModelUsage | null | undefined;
  for await (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    const text = chunk.choices[0]?.text;
    if (!text) continue;
    onText(text);
    yield { id, choices: [{ text, index: 0 }] };
  }
  const { prompt_tokens, completion_tokens } = await onUsage(usage);
  const total_tokens = prompt_tokens + completion_tokens;
  yield { id, choices: [{ text: '', index: 0 }], usage: { prompt_tokens, completion_tokens, total_tokens } };
}

/** Our own count, where the container gives none. */
export async function countedUsage(prompt: string, text: string, tokenizer: Tokenizer): Promise<ModelUsage> {
  return { prompt_tokens: await tokenizer.count(prompt), completion_tokens: await tokenizer.count(text) };
}
