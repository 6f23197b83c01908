import * as v from 'valibot';
import { ChatRequest } from '#contract/inference/requests.ts';

export const exampleFunctions = JSON.stringify(
  [
    {
      name: 'find_weather',
      description: 'The weather of a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
  undefined,
  2,
);

type Functions = NonNullable<v.InferInput<typeof ChatRequest>['functions']>;
const FunctionList = v.pipe(v.string(), v.parseJson(undefined, 'must be JSON'), ChatRequest.entries.functions);

/** The functions in a text; none for an empty one. */
export function parseFunctions(text: string): { list: Functions; error?: string } {
  if (text.trim() === '') return { list: [] };
  const read = v.safeParse(FunctionList, text);
  if (read.success) return { list: read.output ?? [] };
  const [issue] = read.issues;
  const path = v.getDotPath(issue);
  return { list: [], error: `${path === null ? 'Functions' : path} ${issue.message}.` };
}
