import { readFile } from 'node:fs/promises';
import * as v from 'valibot';

const Parameters = v.record(v.string(), v.string());

/** Response to a sample, with ids, tokens and times replaced (`bin/openapi.ts --record`). */
const RecordedResponse = v.object({
  path: v.exactOptional(Parameters),
  query: v.exactOptional(Parameters),
  body: v.exactOptional(v.record(v.string(), v.unknown())),
  status: v.number(),
  headers: v.array(v.string()),
  /** Null if the response is not JSON. */
  response: v.unknown(),
  /** First and last events of a streamed response. */
  stream: v.exactOptional(v.string()),
});
export type RecordedResponse = v.InferOutput<typeof RecordedResponse>;

export const RecordedResponses = v.record(v.string(), RecordedResponse);
export type RecordedResponses = v.InferOutput<typeof RecordedResponses>;

export const recordedResponsesFile = new URL('recorded-responses.json', import.meta.url);

export async function readRecordedResponses(): Promise<RecordedResponses> {
  return v.parse(RecordedResponses, JSON.parse(await readFile(recordedResponsesFile, 'utf8')));
}
