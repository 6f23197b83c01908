import type { ErrorCode } from '#contract/shared/errors.ts';
import { formatTimestamps } from '../../lib/format.ts';

/** `UNREACHABLE`: no response; `INVALID_RESPONSE`: a response that is not the contract's. */
export type FailureCode = ErrorCode | 'UNREACHABLE' | 'INVALID_RESPONSE';

interface About {
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly requestId?: string | undefined;
}

/** A request that did not succeed; the message is one sentence a person can read. */
export class ApiError extends Error {
  readonly code: FailureCode;
  /** HTTP status; 0 without a response. */
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

/** Every failure as an ApiError, so that there is one way to show it. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(
    'INVALID_RESPONSE',
    'Something went wrong. Reload the page. If it happens again, contact support.',
  );
}
