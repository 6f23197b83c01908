import { callableModels, catalogClock, catalogCreated, phaseOf } from './models.ts';

/** The chat models in Anthropic's form. */
export function listedAnthropicModels() {
  const now = catalogClock.now();
  const timeOf = (day: string | null) => (day === null ? null : new Date(day).toISOString());
  const data = callableModels()
    .filter(({ capabilities }) => capabilities.includes('chat'))
    .map((model) => ({
      type: 'model' as const,
      id: model.id,
      display_name: model.title,
      created_at: new Date(catalogCreated * 1000).toISOString(),
      max_input_tokens: model.contextWindow,
      max_tokens: model.maxOutputTokens,
      lifecycle: phaseOf(model, now) === 'deprecated' ? ('deprecated' as const) : ('active' as const),
      deprecated_at: timeOf(model.deprecatedFrom),
      retires_at: timeOf(model.retiredFrom),
      capabilities: null,
      line: null,
    }));
  return { data, has_more: false as const, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}
