import type { ErrorCode, FaultyField, Refusal } from '#contract/shared/errors.ts';

/** Counts an overlong prompt only up to the window. */
export function contextLengthExceeded(model: string, window: number, prompt: number, output: number): ServiceError {
  const atLeast = prompt > window ? 'at least ' : '';
  const needs =
    output > 0
      ? `the prompt of ${atLeast}${prompt} tokens with ${output} ${output === 1 ? 'token' : 'tokens'} of output needs ${atLeast}${prompt + output}`
      : `the text has ${atLeast}${prompt}`;
  return new ServiceError(
    'CONTEXT_LENGTH_EXCEEDED',
    `context_length_exceeded: ${model} accepts ${window} tokens, and ${needs}.`,
  );
}

export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

interface ServiceErrorOptions {
  readonly field?: FaultyField | undefined;
  /** Seconds after which the same request may succeed. */
  readonly retryAfterSeconds?: number | undefined;
  /** Tells clients not to retry a server error by themselves. */
  readonly isLasting?: true;
  /** Set if a reply does not fit the format that its caller requested. */
  readonly isMismatch?: true;
  readonly rateLimit?: RateLimit | undefined;
  readonly originalRequestId?: string | undefined;
  readonly allowedMethods?: readonly string[] | undefined;
  readonly cause?: unknown;
}

/** An error for the caller: a code of the closed table, one sentence in `detail`, and the values of its headers. */
export class ServiceError extends Error implements Refusal {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly field: FaultyField | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly isLasting: true | undefined;
  readonly isMismatch: true | undefined;
  readonly rateLimit: RateLimit | undefined;
  readonly originalRequestId: string | undefined;
  readonly allowedMethods: readonly string[] | undefined;

  constructor(code: ErrorCode, detail: string, options: ServiceErrorOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isLasting = options.isLasting;
    this.isMismatch = options.isMismatch;
    this.rateLimit = options.rateLimit;
    this.originalRequestId = options.originalRequestId;
    this.allowedMethods = options.allowedMethods;
  }

  get detail(): string {
    return this.message;
  }
}

const refusal = (detail: string): ServiceError => new ServiceError('INVALID_API_KEY', detail);

interface Accepted {
  readonly key: boolean;
  readonly session: boolean;
  /** Whether `x-api-key` may contain the key. */
  readonly keyHeader?: boolean;
}

export function missingCredential({ key, session, keyHeader }: Accepted): ServiceError {
  if (!key) return refusal('No session was sent; sign in.');
  const send = `send ${keyHeader ? 'x-api-key or ' : ''}Authorization: Bearer and an API key that is active`;
  return session
    ? refusal(`Neither an API key nor a session was sent; ${send}, or sign in.`)
    : refusal(`No API key was sent; ${send}.`);
}

/** Checks only the format, which is public, so it reveals nothing. */
export const malformedKey = ({ keyHeader }: Pick<Accepted, 'keyHeader'>): ServiceError =>
  refusal(
    `The ${keyHeader ? 'x-api-key header must be an API key, or the ' : ''}Authorization header must be Bearer, a space, and an API key: tai_ followed by 58 letters and digits.`,
  );

/** Reveals nothing either, because the checksum is part of the public format. */
export const mistypedKey = (): ServiceError =>
  refusal('The API key is invalid: at least one character is wrong. Copy the key again.');

/** The same refusal for unknown, revoked and expired keys, so that guessing reveals nothing. */
export const unknownKey = (): ServiceError =>
  refusal('The API key is unknown, revoked, suspended or expired. Use an active key.');

/** Unknown and ended sessions return the same error. */
export const unknownSession = (): ServiceError => refusal('The session has ended; sign in again.');

/** The account's item changed at every attempt of a write. */
export const accountBusy = (): ServiceError =>
  new ServiceError('SERVICE_UNAVAILABLE', 'The account is busy. Try again.', { retryAfterSeconds: 1 });

export const unknownAccount = (): ServiceError => new ServiceError('NOT_FOUND', 'There is no such account.');

export const isNotFound = (error: unknown): boolean => error instanceof ServiceError && error.code === 'NOT_FOUND';

export function undefinedIfNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
