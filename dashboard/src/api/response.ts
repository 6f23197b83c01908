import { t } from '@lingui/core/macro';
import * as v from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';
import { formatTimestamps } from '../lib/format.ts';

export type DataRoute = Route & { readonly output: v.GenericSchema };
export type Data<R extends DataRoute> = v.InferOutput<R['output']>;

export interface ApiResponse<Data> {
  readonly data: Data;
  readonly headers: Headers;
  /** Body before parsing. */
  readonly text: string;
}

/** Parses the response of a route. Throws an ApiError for an error response or an invalid one. */
export async function readResponse<R extends DataRoute>(route: R, response: Response): Promise<ApiResponse<Data<R>>> {
  const { headers } = response;
  const text = await bodyTextOf(response);
  const read = v.safeParse(route.output, openEnvelope(text, headers).data);
  if (!read.success)
    throw new ApiError('INVALID_RESPONSE', t`The server returned an unexpected response. Reload the page.`);
  return { data: read.output, headers, text };
}

export async function bodyTextOf(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch {
    throw new ApiError('UNREACHABLE', t`The connection was lost before the response was complete. Try again.`);
  }
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorStatus, code);

const AnyEnvelope = v.variant('error', [
  v.object({ error: v.literal(false), message: v.string(), data: v.unknown(), status: v.number() }),
  v.object({
    error: v.literal(true),
    message: v.string(),
    status: v.number(),
    detail: v.optional(v.string(), () => t`The request was rejected.`),
  }),
]);

/** Parses an envelope. Throws an ApiError for an error envelope or an invalid one. */
export function openEnvelope(text: string, headers?: Headers): { message: string; data: unknown } {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), AnyEnvelope), text);
  const requestId = headers?.get('x-request-id') ?? undefined;
  if (!read.success)
    throw new ApiError('INVALID_RESPONSE', t`The server returned an invalid response. Try again.`, { requestId });
  if (!read.output.error) return read.output;
  const { message, detail, status } = read.output;
  const wait = Number(headers?.get('retry-after') ?? Number.NaN);
  // A newer API may have codes that this page does not know. The detail still explains them.
  throw new ApiError(isErrorCode(message) ? message : 'INVALID_RESPONSE', detail, {
    status,
    requestId,
    retryAfterSeconds: Number.isFinite(wait) ? wait : undefined,
  });
}

/**
 * Reads JSON without an envelope from this origin. Throws an ApiError if the request fails or the schema does not
 * match.
 */
export async function readJson<S extends v.GenericSchema>(
  path: string,
  schema: S,
  init?: RequestInit,
): Promise<v.InferOutput<S>> {
  const unreachable = new ApiError('UNREACHABLE', t`Can't reach the server. Check your connection and try again.`);
  const response = await fetch(path, init).catch(() => Promise.reject(unreachable));
  const read = v.safeParse(schema, await response.json().catch(() => undefined));
  if (!read.success)
    throw new ApiError('INVALID_RESPONSE', t`The server returned an invalid response. Reload the page.`);
  return read.output;
}

/** `UNREACHABLE`: no response. `INVALID_RESPONSE`: the response does not match the contract. */
export type FailureCode = ErrorCode | 'UNREACHABLE' | 'INVALID_RESPONSE';

interface About {
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly requestId?: string | undefined;
}

/** A failed request. The message is one sentence for the user. */
export class ApiError extends Error {
  readonly code: FailureCode;
  /** HTTP status. 0 without a response. */
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;

  constructor(code: FailureCode, detail: string, { status = 0, retryAfterSeconds, requestId }: About = {}) {
    super(formatTimestamps(detail));
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.requestId = requestId;
  }
}

/** Converts any thrown value to an ApiError. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(
    'INVALID_RESPONSE',
    t`Something went wrong. Reload the page. If it happens again, contact support.`,
  );
}
