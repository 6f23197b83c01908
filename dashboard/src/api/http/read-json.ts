import * as v from 'valibot';
import { ApiError } from './api-error.ts';

/** JSON of this origin that comes without the envelope; throws an ApiError where there is none, or not of this schema. */
export async function readJson<S extends v.GenericSchema>(
  path: string,
  schema: S,
  init?: RequestInit,
): Promise<v.InferOutput<S>> {
  const unreachable = new ApiError('UNREACHABLE', "Can't reach the server. Check your connection and try again.");
  const response = await fetch(path, init).catch(() => Promise.reject(unreachable));
  const read = v.safeParse(schema, await response.json().catch(() => undefined));
  if (!read.success)
    throw new ApiError('INVALID_RESPONSE', 'The server returned an invalid response. Reload the page.');
  return read.output;
}
