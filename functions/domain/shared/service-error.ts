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

/** Where an account stands in the calls per minute that its plan allows. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the whole limit is free again. */
  readonly resetMs: number;
}

interface ServiceErrorOptions {
  /** The field of the input that is to blame. */
  readonly field?: FaultyField | undefined;
  /** Seconds after which the same request may succeed. */
  readonly retryAfterSeconds?: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
  /** The request that came first with the same Idempotency-Key. */
  readonly originalRequestId?: string | undefined;
  /** Methods that the path takes, of a request with another. */
  readonly allowedMethods?: readonly string[] | undefined;
  /** For the log only. */
  readonly cause?: unknown;
}

/** A refusal or failure for the caller: a code of the closed table, `detail`, one sentence, and what its headers report. */
export class ServiceError extends Error implements Refusal {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly field: FaultyField | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly rateLimit: RateLimit | undefined;
  readonly originalRequestId: string | undefined;
  readonly allowedMethods: readonly string[] | undefined;

  constructor(code: ErrorCode, detail: string, options: ServiceErrorOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.rateLimit = options.rateLimit;
    this.originalRequestId = options.originalRequestId;
    this.allowedMethods = options.allowedMethods;
  }

  get detail(): string {
    return this.message;
  }
}
