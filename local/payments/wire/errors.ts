import { randomBytes } from 'node:crypto';

type ErrorType = 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error' | 'rate_limit_error';

interface ErrorBody {
  readonly type: ErrorType;
  readonly message: string;
  readonly code?: string;
  readonly decline_code?: string;
  readonly param?: string;
  readonly payment_intent?: unknown;
  readonly payment_method?: unknown;
  readonly charge?: string;
}

/** An error response of Stripe's API. */
export class StripeProblem extends Error {
  override readonly name = 'StripeProblem';
  readonly status: number;
  readonly body: ErrorBody;
  /** Whether changes before the error are kept, such as those of a declined charge. */
  readonly keepsChanges: boolean;

  constructor(status: number, body: ErrorBody, { keepsChanges = false } = {}) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.keepsChanges = keepsChanges;
  }
}

export const invalidRequest = (message: string, { code, param }: { code?: string; param?: string } = {}) =>
  new StripeProblem(400, {
    type: 'invalid_request_error',
    message,
    ...(code !== undefined && { code }),
    ...(param !== undefined && { param }),
  });

/** `label` is the resource's name in messages, such as `payment_intent`. */
export const missing = (label: string, id: string, param = 'id') =>
  new StripeProblem(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${label}: '${id}'`,
    param,
  });

/** Stripe returns 400 instead of 404 when a parameter, not the path, names the missing object. */
export const missingParam = (label: string, id: string, param: string) =>
  invalidRequest(`No such ${label}: '${id}'`, { code: 'resource_missing', param });

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** An id like Stripe's, for example `cus_` and 24 letters and digits. */
export const newId = (prefix: string, length = 24): string =>
  `${prefix}_${[...randomBytes(length)].map((byte) => letters[byte % letters.length]).join('')}`;
