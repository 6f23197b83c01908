import * as v from 'valibot';

/** Figures of a call; times in milliseconds since it was sent. */
export const Figures = v.object({
  firstTokenMs: v.optional(v.number()),
  totalMs: v.optional(v.number()),
  tokens: v.optional(v.object({ prompt: v.number(), total: v.number() })),
  credits: v.optional(v.number()),
});
export type Figures = Readonly<v.InferOutput<typeof Figures>>;

export interface Receipt extends Figures {
  readonly requestId?: string | undefined;
  /** The body as received, or the chunks of its stream, one a line. */
  readonly response: string;
}

export const Usage = v.object({ prompt_tokens: v.number(), total_tokens: v.number() });

/** The metrics without the response, for storage. */
export const figuresOf = ({ firstTokenMs, totalMs, tokens, credits }: Figures): Figures => ({
  firstTokenMs,
  totalMs,
  tokens,
  credits,
});

export function tokensOf(usage: v.InferOutput<typeof Usage> | undefined): Receipt['tokens'] {
  return usage && { prompt: usage.prompt_tokens, total: usage.total_tokens };
}
