import * as v from 'valibot';

/** Figures of a call; times in milliseconds since it was sent. */
export interface Receipt {
  readonly firstTokenMs?: number | undefined;
  readonly totalMs?: number | undefined;
  readonly tokens?: { readonly prompt: number; readonly total: number } | undefined;
  readonly credits?: number | undefined;
  readonly requestId?: string | undefined;
  /** The body as received, or the chunks of its stream, one a line. */
  readonly response: string;
}

export const Usage = v.object({ prompt_tokens: v.number(), total_tokens: v.number() });

export function tokensOf(usage: v.InferOutput<typeof Usage> | undefined): Receipt['tokens'] {
  return usage && { prompt: usage.prompt_tokens, total: usage.total_tokens };
}
