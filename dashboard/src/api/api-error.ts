import type { ErrorCode } from '#contract/shared/errors.ts';

/** `UNREACHABLE`: no answer came; `BROKEN_ANSWER`: what came is not what the contract says. */
export type FailureCode = ErrorCode | 'UNREACHABLE' | 'BROKEN_ANSWER';

interface About {
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly requestId?: string | undefined;
}

/** A request that did not succeed; the message is one sentence a person can read. */
export class ApiError extends Error {
  readonly code: FailureCode;
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;

  constructor(code: FailureCode, detail: string, { status = 0, retryAfterSeconds, requestId }: About = {}) {
    super(detail);
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
  return new ApiError('BROKEN_ANSWER', 'Something went wrong on this page. Reload it, and tell us if it stays.');
}
