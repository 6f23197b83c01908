import { tokenize } from '../sagemaker/words.ts';
import type { CompletionBody } from './request.ts';

/** `tokens` joined are the output; `stop`: came to its end or to a stop sequence, `length`: ran out of tokens. */
export interface Output {
  readonly tokens: readonly string[];
  readonly finish: 'stop' | 'length';
}

/** Ends the text before the first stop sequence, or after so many tokens, whichever comes first. */
export function limitOutput(text: string, maxTokens: number, stops: readonly string[]): Output {
  const all = tokenize(text);
  const kept = all.slice(0, maxTokens);
  const allowed = kept.join('');
  const found = stops.map((stop) => allowed.indexOf(stop)).filter((index) => index >= 0);
  if (found.length > 0) return { tokens: tokenize(allowed.slice(0, Math.min(...found))), finish: 'stop' };
  return { tokens: kept, finish: kept.length < all.length ? 'length' : 'stop' };
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export function usageOf(prompt: number, completion: number): Usage {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** The usage that each chunk of a stream carries where that is requested, as vLLM has it: only beside that of the whole. */
export function continuousUsage({ stream_options: options }: Pick<CompletionBody, 'stream_options'>, prompt: number) {
  const isRequested = options.include_usage && options.continuous_usage_stats;
  return (made: number) => (isRequested ? { usage: usageOf(prompt, made) } : {});
}

/** Tokens of prompt and output together, as vLLM's `max_model_len`. */
export const maxModelLength = 32_768;

/** vLLM's words when prompt and output do not fit; undefined when they do. */
export function overflow(
  prompt: number,
  maxTokens: number | undefined,
  place: 'messages' | 'prompt',
): string | undefined {
  const output = maxTokens ?? 1;
  if (prompt + output <= maxModelLength) return undefined;
  return `This model's maximum context length is ${maxModelLength} tokens. However, you requested ${prompt + output} tokens (${prompt} in the ${place}, ${output} in the completion). Please reduce the length of the ${place} or completion.`;
}
