import * as v from 'valibot';

const Usage = v.object({ prompt_tokens: v.number(), completion_tokens: v.number() });
export type ModelUsage = v.InferOutput<typeof Usage>;

/** What a container says of the tokens it used. A figure that is none is as good as missing, not a reason to fail. */
export const ReportedUsage = v.fallback(v.nullish(Usage), null);

const ToolCall = v.object({
  index: v.nullish(v.number()),
  id: v.nullish(v.string()),
  function: v.object({ name: v.nullish(v.string()), arguments: v.nullish(v.string()) }),
});

/** A chunk of an OpenAI-compatible container's stream: chat (`delta`) or text completion (`text`). */
export const ModelChunk = v.object({
  choices: v.optional(
    v.array(
      v.object({
        text: v.nullish(v.string()),
        delta: v.nullish(v.object({ content: v.nullish(v.string()), tool_calls: v.nullish(v.array(ToolCall)) })),
        finish_reason: v.nullish(v.string()),
      }),
    ),
    [],
  ),
  usage: v.optional(ReportedUsage),
});
export type ModelChunk = v.InferOutput<typeof ModelChunk>;

/** An answer that is sent as it is made, chunk by chunk. Its making begins at once. */
export class StreamedAnswer {
  readonly #chunks: AsyncIterator<unknown>;
  readonly #cost: (isWhole: boolean) => Promise<number>;
  readonly #cancel: () => void;
  readonly #first: Promise<IteratorResult<unknown>>;
  #isRead = false;
  #isWhole = false;

  /** `cost` is asked what the answer has come to, in microcredits. */
  constructor(chunks: AsyncIterator<unknown>, cost: (isWhole: boolean) => Promise<number>, cancel: () => void) {
    this.#chunks = chunks;
    this.#cost = cost;
    this.#cancel = cancel;
    this.#first = chunks.next();
    // Whoever does not wait for it need not hear of its failure.
    this.#first.catch(() => undefined);
  }

  /** Resolves when there is something to send. Fails where the model does before that: then nothing is sent or charged. */
  async begun(): Promise<void> {
    await this.#first;
  }

  /** What is sent next; fails where the model does. */
  async next(): Promise<IteratorResult<unknown>> {
    const chunk = await (this.#isRead ? this.#chunks.next() : this.#first);
    this.#isRead = true;
    this.#isWhole ||= chunk.done === true;
    return chunk;
  }

  /** What it has come to so far, in microcredits; final once it has ended. Nothing when not even the first chunk was taken. */
  async cost(): Promise<number> {
    return this.#isRead ? this.#cost(this.#isWhole) : 0;
  }

  /** Ends the model's work. */
  cancel(): void {
    if (!this.#isWhole) this.#cancel();
  }
}

/** Far more than any context has, and few enough that no price of them leaves the integers that a number holds exactly. */
const maxTokens = 1_000_000_000;

/**
 * Usage as it can be billed: absent or impossible figures are replaced by our own count, absurd ones are cut to what can be
 * calculated with; the meter caps those at what was held, and reports them.
 */
export async function billable(
  usage: ModelUsage | null | undefined,
  count: () => Promise<ModelUsage>,
): Promise<ModelUsage> {
  const isUsable = usage && Number.isSafeInteger(usage.prompt_tokens) && Number.isSafeInteger(usage.completion_tokens);
  if (!isUsable || usage.prompt_tokens < 0 || usage.completion_tokens < 0) return count();
  return {
    prompt_tokens: Math.min(usage.prompt_tokens, maxTokens),
    completion_tokens: Math.min(usage.completion_tokens, maxTokens),
  };
}

/** Usage as answers tell it. */
export function totalled({ prompt_tokens, completion_tokens }: ModelUsage) {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
