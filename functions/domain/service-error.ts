import type { ErrorCode } from '#contract/errors.ts';

/** The refusal (400) of a request that needs more tokens than a model's context has (design section 3, "Context length"). */
export function overlong(model: string, window: number, prompt: number, output: number): ServiceError {
  const needs =
    output > 0
      ? `the prompt of ${prompt} tokens with ${output} tokens of output needs ${prompt + output}`
      : `the text has ${prompt}`;
  return new ServiceError(
    'CONTEXT_LENGTH_EXCEEDED',
    `context_length_exceeded: ${model} takes ${window} tokens, and ${needs}.`,
  );
}

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
