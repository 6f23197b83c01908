/**
 * All error codes with their HTTP status (docs/specification.md#errors, docs/guides/errors.md#codes). Callers receive
 * no other code.
 */
export const errorStatus = {
  INVALID_FORMAT: 400,
  CONTEXT_LENGTH_EXCEEDED: 400,
  INVALID_TOKEN: 400,
  INVALID_API_KEY: 401,
  INVALID_CREDENTIALS: 401,
  INVALID_IDENTITY_TOKEN: 401,
  SECOND_FACTOR_REQUIRED: 401,
  INSUFFICIENT_CREDITS: 402,
  PAYMENT_ACTION_REQUIRED: 402,
  PAYMENT_DECLINED: 402,
  INSUFFICIENT_PERMISSIONS: 403,
  ACCOUNT_NOT_CONFIRMED: 403,
  KEY_LIMIT_EXCEEDED: 403,
  SECOND_FACTOR_NOT_ENABLED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  EMAIL_ALREADY_REGISTERED: 409,
  ALREADY_SUBSCRIBED: 409,
  IDENTITY_NOT_LINKED: 409,
  INVALID_STATE: 409,
  PAYMENT_METHOD_REQUIRED: 409,
  RECIPIENT_OPTED_OUT: 409,
  REPLAY_UNAVAILABLE: 409,
  REQUEST_CANCELLED: 409,
  REQUEST_IN_PROGRESS: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  DELIVERY_ERROR: 502,
  MODEL_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
  MODEL_TIMEOUT: 504,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** An invalid input field. `isMissing`: the field is required but absent. */
export interface FaultyField {
  readonly path: string;
  readonly isMissing: boolean;
}

/** An error as callers receive it. `detail` is one sentence. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly field?: FaultyField | undefined;
}
