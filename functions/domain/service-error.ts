import type { ErrorCode } from '#contract/errors.ts';

/**
 * A refusal or failure the caller is told about: a code of the closed table, and `detail`, one sentence for the caller.
 * `headers` go out with the answer; `cause` only to the log.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, detail: string, options: { headers?: Record<string, string>; cause?: unknown } = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.headers = options.headers ?? {};
  }
}
