import * as v from 'valibot';

const Usage = v.object({ prompt_tokens: v.number(), completion_tokens: v.number() });
export type ModelUsage = v.InferOutput<typeof Usage>;

/** The tokens that a container reports it used. An invalid figure is as good as missing, not a reason to fail. */
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

/** Usage as responses report it. */
export function totalled({ prompt_tokens, completion_tokens }: ModelUsage) {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
