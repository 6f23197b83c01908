import * as v from 'valibot';

const Usage = v.object({ prompt_tokens: v.number(), completion_tokens: v.number() });
export type ModelUsage = v.InferOutput<typeof Usage>;

/** The tokens that a container reports it used. Treats an invalid count as missing. */
export const ReportedUsage = v.fallback(v.nullish(Usage), null);

/** Like `v.object`, but refuses arrays, which would pass as objects without any field. */
export const recordOf = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.pipe(
    v.unknown(),
    v.check((value) => !Array.isArray(value), 'must be an object'),
    v.object(entries),
  );

const ToolCall = v.object({
  index: v.nullish(v.number()),
  id: v.nullish(v.string()),
  function: v.object({ name: v.nullish(v.string()), arguments: v.nullish(v.string()) }),
});

const Delta = recordOf({ content: v.nullish(v.string()), tool_calls: v.nullish(v.array(ToolCall)) });

/** A chunk of an OpenAI-compatible container's stream. `message` occurs in whole replies only. */
const ModelChunk = v.object({
  choices: v.optional(
    v.array(
      v.object({
        text: v.nullish(v.string()),
        delta: v.nullish(Delta),
        message: v.optional(v.unknown()),
        finish_reason: v.nullish(v.string()),
      }),
    ),
    [],
  ),
  usage: v.optional(ReportedUsage),
});
export type ModelChunk = v.InferOutput<typeof ModelChunk>;

/** A chunk of a chat (`delta`). Refuses output in a field that is not read, as it would pass for an empty chunk. */
export const ChatChunk = v.pipe(
  ModelChunk,
  v.check(
    ({ choices }) => choices.every(({ delta, text, message }) => delta || !(text || message !== undefined)),
    'must have a delta in each choice',
  ),
);

/** The same of a text completion (`text`). */
export const CompletionChunk = v.pipe(
  ModelChunk,
  v.check(
    ({ choices }) =>
      choices.every(
        ({ delta, text, message }) => typeof text === 'string' || !(delta?.content || message !== undefined),
      ),
    'must have a text in each choice',
  ),
);

/** The usage that a call can have come to, beyond which a container's report is impossible. */
export interface UsageBounds {
  readonly promptTokens: number;
  /** The `max_tokens` that the model was sent. */
  readonly completionTokens: number;
  /** Whether the model generated anything that was read. */
  readonly hasOutput: boolean;
}

export const isPossibleCount = (tokens: number, min: number, max: number): boolean =>
  Number.isSafeInteger(tokens) && tokens >= min && tokens <= max;

/**
 * The usage to charge: what the container reports, or our own count where that is missing or impossible. A count of 0 is
 * possible only if there is no output.
 */
export async function billable(
  usage: ModelUsage | null | undefined,
  { promptTokens, completionTokens, hasOutput }: UsageBounds,
  count: () => Promise<ModelUsage>,
): Promise<ModelUsage> {
  const minTokens = hasOutput ? 1 : 0;
  const isUsable =
    usage &&
    isPossibleCount(usage.prompt_tokens, minTokens, promptTokens) &&
    isPossibleCount(usage.completion_tokens, minTokens, completionTokens);
  return isUsable ? usage : count();
}

/** Usage as responses report it. */
export function totalled({ prompt_tokens, completion_tokens }: ModelUsage) {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
