import type { EngineReply } from '../engine.ts';
import { overflowIn, type Refusal } from './openai-reply.ts';

/** How a request chooses tokens, in either of its forms. */
export interface TgiSampling {
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly top_k?: number | undefined;
  readonly frequency_penalty?: number | undefined;
  readonly presence_penalty?: number | undefined;
  readonly stop?: readonly string[] | undefined;
}

const maxStops = 4;

/** The rule that a request breaks (router/src/validation.rs). */
export function invalid(sampling: TgiSampling): string | undefined {
  const { temperature = 1, top_p: topP, top_k: topK, frequency_penalty: penalty = 0, stop = [] } = sampling;
  if (temperature <= 0) return '`temperature` must be strictly positive';
  if ((sampling.presence_penalty ?? 0) + 2 <= 0) return '`repetition_penalty` must be strictly positive';
  if (Math.abs(penalty) > 2) return '`frequency_penalty` must be >= -2.0 and <= 2.0';
  if (topP !== undefined && (topP <= 0 || topP >= 1)) return '`top_p` must be > 0.0 and < 1.0';
  if (topK !== undefined && topK <= 0) return '`top_k` must be strictly positive';
  if (stop.length > maxStops) return `\`stop\` supports up to ${maxStops} stop sequences. Given: ${stop.length}`;
  return undefined;
}

export const tgiError = (status: number, error: string, error_type: string): EngineReply & { kind: 'json' } => ({
  kind: 'json',
  status,
  body: { error, error_type },
});

/** The engine's refusal, in TGI's words. */
export function inTgiWords({ status, message }: Refusal): EngineReply & { kind: 'json' } {
  const overflow = overflowIn(message);
  if (overflow) {
    const { takes, prompt, output } = overflow;
    const rule = `\`inputs\` tokens + \`max_new_tokens\` must be <= ${takes}. Given: ${prompt} \`inputs\` tokens and ${output} \`max_new_tokens\``;
    return tgiError(422, `Input validation error: ${rule}`, 'validation');
  }
  if (status === 429 || status === 503) return tgiError(429, 'Model is overloaded', 'overloaded');
  if (status < 500) return tgiError(422, `Input validation error: ${message}`, 'validation');
  return tgiError(424, `Request failed during generation: ${message}`, 'generation');
}
