import type { ErrorCode, FaultyField, Refusal } from '#contract/shared/errors.ts';

/**
 * The refusal (400) of a request that needs more tokens than a model's context has. A prompt that is too long by itself is
 * not counted to its end.
 */
export function overlong(model: string, window: number, prompt: number, output: number): ServiceError {
  const atLeast = prompt > window ? 'at least ' : '';
  const needs =
    output > 0
      ? `the prompt of ${atLeast}${prompt} tokens with ${output} tokens of output needs ${atLeast}${prompt + output}`
      : `the text has ${atLeast}${prompt}`;
  return new ServiceError(
    'CONTEXT_LENGTH_EXCEEDED',
    `context_length_exceeded: ${model} takes ${window} tokens, and ${needs}.`,
  );
}

interface ServiceErrorOptions {
  /** What the answer says besides. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The field of the input that is to blame. */
  readonly field?: FaultyField;
  /** For the log only. */
  readonly cause?: unknown;
}

/**
 * A refusal or failure the caller is told about: a code of the closed table, and `detail`, one sentence for the caller.
 */
export class ServiceError extends Error implements Refusal {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly field: FaultyField | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, detail: string, options: ServiceErrorOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.headers = options.headers ?? {};
  }

  get detail(): string {
    return this.message;
  }
}
