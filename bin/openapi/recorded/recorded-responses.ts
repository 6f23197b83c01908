import { readFile } from 'node:fs/promises';
import * as v from 'valibot';

const Parameters = v.record(v.string(), v.string());

/** Response of the service to a sample, with ids, tokens and times replaced (`bin/openapi.ts --record`). */
const RecordedResponse = v.object({
  path: v.exactOptional(Parameters),
  query: v.exactOptional(Parameters),
  body: v.exactOptional(v.record(v.string(), v.unknown())),
  status: v.number(),
  /** Names of the response's headers that the document describes. */
  headers: v.array(v.string()),
  /** Null where it is no JSON. */
  response: v.unknown(),
  /** Beginning and end of the streamed response. */
  stream: v.exactOptional(v.string()),
});
export type RecordedResponse = v.InferOutput<typeof RecordedResponse>;

/** By the route's id. */
export const RecordedResponses = v.record(v.string(), RecordedResponse);
export type RecordedResponses = v.InferOutput<typeof RecordedResponses>;

export const recordedResponsesFile = new URL('recorded-responses.json', import.meta.url);

export async function readRecordedResponses(): Promise<RecordedResponses> {
  return v.parse(RecordedResponses, JSON.parse(await readFile(recordedResponsesFile, 'utf8')));
}
