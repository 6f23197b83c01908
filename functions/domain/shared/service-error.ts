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

const refusal = (detail: string): ServiceError => new ServiceError('INVALID_API_KEY', detail);

/** What a route takes. */
interface Accepted {
  readonly key: boolean;
  readonly session: boolean;
}

/** Refuses a request without a credential of a kind that the route takes. */
export function missingCredential({ key, session }: Accepted): ServiceError {
  if (!key) return refusal('No session was sent; sign in.');
  const send = 'send Authorization: Bearer and an API key that is active';
  return session
    ? refusal(`Neither an API key nor a session was sent; ${send}, or sign in.`)
    : refusal(`No API key was sent; ${send}.`);
}

/** Refuses by the form alone, which is public: nothing is read. */
export const malformedKey = (): ServiceError =>
  refusal(
    'The Authorization header must be Bearer, a space, and an API key as it was shown: tai_ and 58 letters and digits.',
  );

/** One refusal for a key that never was, and one that was: whoever guesses keys learns nothing. */
export const unknownKey = (): ServiceError =>
  refusal('The API key is unknown, revoked, suspended or expired. Use an active key.');

/** One refusal for a session that never was, and one that was. */
export const unknownSession = (): ServiceError => refusal('The session has ended; sign in again.');
