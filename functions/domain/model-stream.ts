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

/** An answer that is sent as it is made. */
export class StreamedAnswer {
  /** What is sent, piece by piece; fails where the model does. */
  readonly chunks: AsyncIterator<unknown>;
  /** What it has come to so far, in microcredits; final once the chunks have ended. */
  readonly cost: () => Promise<number>;
  /** Ends the model's work. */
  readonly cancel: () => void;

  constructor(answer: { chunks: AsyncIterator<unknown>; cost: () => Promise<number>; cancel: () => void }) {
    this.chunks = answer.chunks;
    this.cost = answer.cost;
    this.cancel = answer.cancel;
  }
}

/**
 * The answer once its first chunk is there: until then a failure is an error answer like any other, with nothing sent
 * and nothing charged. Nothing is charged either when the reader has gone by then and takes not even that chunk.
 */
export async function begun<T>(
  chunks: AsyncGenerator<T>,
  cost: (isWhole: boolean) => Promise<number>,
  cancel: () => void,
): Promise<StreamedAnswer> {
  const first = await chunks.next();
  let isRead = false;
  let isWhole = false;
  async function next(): Promise<IteratorResult<T>> {
    const chunk = isRead ? await chunks.next() : first;
    isRead = true;
    isWhole ||= chunk.done === true;
    return chunk;
  }
  return new StreamedAnswer({
    chunks: { next },
    cost: async () => (isRead ? cost(isWhole) : 0),
    cancel: () => {
      if (!isWhole) cancel();
    },
  });
}

/** Usage as it can be billed: absent or impossible figures are replaced by our own count (reference: reliability C6). */
export async function billable(
  usage: ModelUsage | null | undefined,
  count: () => Promise<ModelUsage>,
): Promise<ModelUsage> {
  const isUsable = usage && Number.isSafeInteger(usage.prompt_tokens) && Number.isSafeInteger(usage.completion_tokens);
  return isUsable && usage.prompt_tokens >= 0 && usage.completion_tokens >= 0 ? usage : count();
}

/** Usage as answers tell it. */
export function totalled({ prompt_tokens, completion_tokens }: ModelUsage) {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
