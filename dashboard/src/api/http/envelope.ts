import * as v from 'valibot';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';
import { ApiError } from './api-error.ts';

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorStatus, code);

const AnyEnvelope = v.variant('error', [
  v.object({ error: v.literal(false), message: v.string(), data: v.unknown(), status: v.number() }),
  v.object({
    error: v.literal(true),
    message: v.string(),
    status: v.number(),
    detail: v.optional(v.string(), 'The request was rejected.'),
  }),
]);

/** The envelope in a text; throws an ApiError for that of an error, and for a text without one. */
export function openEnvelope(text: string, headers?: Headers): { message: string; data: unknown } {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), AnyEnvelope), text);
  const requestId = headers?.get('x-request-id') ?? undefined;
  if (!read.success)
    throw new ApiError('INVALID_RESPONSE', 'The server returned an invalid response. Try again.', { requestId });
  if (!read.output.error) return read.output;
  const { message, detail, status } = read.output;
  const wait = Number(headers?.get('retry-after') ?? Number.NaN);
  // A newer API may have codes that this page does not know; the detail explains them all the same.
  throw new ApiError(isErrorCode(message) ? message : 'INVALID_RESPONSE', detail, {
    status,
    requestId,
    retryAfterSeconds: Number.isFinite(wait) ? wait : undefined,
  });
}
