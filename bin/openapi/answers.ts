import { readFile } from 'node:fs/promises';
import * as v from 'valibot';

const Parameters = v.record(v.string(), v.string());

/** What the service answered to a sample, with ids, tokens and times made up (`bin/openapi.ts --record`). */
const Recorded = v.object({
  path: v.exactOptional(Parameters),
  query: v.exactOptional(Parameters),
  body: v.exactOptional(v.record(v.string(), v.unknown())),
  status: v.number(),
  /** Names of the answer's headers that the document knows. */
  headers: v.array(v.string()),
  answer: v.unknown(),
  /** Beginning and end of the streamed answer. */
  stream: v.exactOptional(v.string()),
});
export type Recorded = v.InferOutput<typeof Recorded>;

/** By the route's id. */
export const Answers = v.record(v.string(), Recorded);
export type Answers = v.InferOutput<typeof Answers>;

export const answersFile = new URL('answers.json', import.meta.url);

export async function readAnswers(): Promise<Answers> {
  return v.parse(Answers, JSON.parse(await readFile(answersFile, 'utf8')));
}
