import { type AnalysisName, entityTypes, modelPiiTypes, sentiments } from '#contract/analysis/names.ts';
import { languages } from '#contract/inference/languages.ts';
import type { AnalysisTask } from './text-analyzer.ts';

/** Of each list of a reply about one part of a text. */
export const maxQuotes = 200;

const list = (items: object) => ({ type: 'array', items, maxItems: maxQuotes });
const closed = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const typedQuotes = (types: readonly string[]) =>
  list(closed({ text: { type: 'string' }, type: { type: 'string', enum: types } }));

/** The field of each analysis in a reply, as JSON Schema. */
const fields: Readonly<Record<AnalysisName, (task: AnalysisTask) => object>> = {
  language: () => ({ type: 'string', enum: [...languages.keys()] }),
  sentiment: () => ({ type: 'string', enum: sentiments }),
  entities: () => typedQuotes(entityTypes),
  key_phrases: () => list({ type: 'string' }),
  pii: () => typedQuotes(modelPiiTypes),
  categories: ({ labels = [] }) => ({
    type: 'array',
    items: { type: 'string', enum: labels },
    maxItems: labels.length,
  }),
};

/** The response format that a chat model is given: a JSON object of what is requested and nothing else. */
export function responseFormat(task: AnalysisTask): object {
  const schema = closed(Object.fromEntries(task.analyses.map((name) => [name, fields[name](task)])));
  return { type: 'json_schema', json_schema: { name: 'text_analysis', strict: true, schema } };
}
