import * as v from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { ApiError } from './api-error.ts';
import { openEnvelope } from './envelope.ts';

/** A route whose responses carry `data`. */
export type DataRoute = Route & { readonly output: v.GenericSchema };
export type Data<R extends DataRoute> = v.InferOutput<R['output']>;

/** A response's data with its headers. */
export interface ApiResponse<Data> {
  readonly data: Data;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
}

/** Reads a response of the route; throws an ApiError for an error, and for what is not the route's output. */
export async function readResponse<R extends DataRoute>(route: R, response: Response): Promise<ApiResponse<Data<R>>> {
  const { headers } = response;
  const text = await textOf(response);
  const read = v.safeParse(route.output, openEnvelope(text, headers).data);
  if (!read.success)
    throw new ApiError('INVALID_RESPONSE', 'The server returned an unexpected response. Reload the page.');
  return { data: read.output, headers, text };
}

export async function textOf(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch {
    throw new ApiError('UNREACHABLE', 'The connection was lost before the response was complete. Try again.');
  }
}
