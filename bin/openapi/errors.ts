import { planListing } from '#contract/billing/plans.ts';
import { type FormatName, responseFormats } from '#contract/http/format.ts';
import { errorCodesOf, type Route } from '#contract/http/route.ts';
import { models } from '#contract/inference/models.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';
import { errorHeaders } from './headers.ts';

const string = { type: 'string' };
const stringOrNull = { type: ['string', 'null'] };

/** An error in each format. Each response narrows `status` and `message`. */
export const errorSchemas = {
  Error: {
    type: 'object',
    description:
      'An error: the four fields of every response, and `detail`, a sentence that names the field and the rule.',
    properties: {
      message: { type: 'string', enum: Object.keys(errorStatus), description: 'The code of the error.' },
      error: { const: true },
      data: { type: 'null' },
      status: { type: 'integer', description: 'The HTTP status.' },
      detail: { type: 'string', description: 'A sentence that explains the error.' },
    },
    required: ['message', 'error', 'data', 'status', 'detail'],
    additionalProperties: false,
  },
  OpenAiError: {
    type: 'object',
    description: "An error as OpenAI's clients read it.",
    properties: {
      error: {
        type: 'object',
        properties: { message: string, type: string, param: stringOrNull, code: stringOrNull },
        required: ['message', 'type', 'param', 'code'],
        additionalProperties: false,
      },
    },
    required: ['error'],
    additionalProperties: false,
  },
  AnthropicError: {
    type: 'object',
    description: "An error as Anthropic's clients read it.",
    properties: {
      type: { const: 'error' },
      error: {
        type: 'object',
        properties: {
          type: string,
          message: string,
          details: { type: 'object', properties: { error_code: string }, required: ['error_code'] },
        },
        required: ['type', 'message'],
        additionalProperties: false,
      },
    },
    required: ['type', 'error'],
    additionalProperties: false,
  },
};

const schemaNames: Readonly<Record<FormatName, keyof typeof errorSchemas>> = {
  envelope: 'Error',
  openai: 'OpenAiError',
  responses: 'OpenAiError',
  anthropic: 'AnthropicError',
};

export const errorSchemaOf = ({ format }: Pick<Route, 'format'>) => ({
  $ref: `#/components/schemas/${schemaNames[format]}`,
});

/** Collects error responses. Operations with the same codes share one, named after them. */
export function errorCollector() {
  const responses = new Map<string, object>();

  function responsesOf(route: Route): Record<string, { $ref: string }> {
    const byStatus = Map.groupBy(errorCodesOf(route), (code) => errorStatus[code]);
    return Object.fromEntries(
      [...byStatus].map(([status, codes]) => {
        const name = [
          route.format,
          ...(route.method === 'HEAD' ? ['head'] : []),
          ...(route.priced && (status === 402 || status === 429) ? ['priced'] : []),
          ...codes,
        ];
        const key = name.filter((part) => part !== 'envelope').join('.');
        responses.set(key, responseOf(route, status, codes));
        return [String(status), { $ref: `#/components/responses/${key}` }];
      }),
    );
  }

  return { responses, responsesOf };
}

function responseOf(route: Route, status: number, codes: readonly ErrorCode[]) {
  const narrowed = { type: 'object', properties: { message: { enum: codes }, status: { const: status } } };
  const schema = route.format === 'envelope' ? { allOf: [errorSchemaOf(route), narrowed] } : errorSchemaOf(route);
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCauses[code].cause}.`).join('\n\n'),
    headers: errorHeaders(route, codes),
    ...(route.method !== 'HEAD' && { content: { 'application/json': { schema, examples: examplesOf(route, codes) } } }),
  };
}

function examplesOf({ format }: Route, codes: readonly ErrorCode[]) {
  const value = (code: ErrorCode) => responseFormats[format].error({ code, detail: errorCauses[code].detail });
  return Object.fromEntries(codes.map((code) => [code, { value: value(code) }]));
}

interface Cause {
  readonly cause: string;
  readonly remedy: string;
  readonly detail: string;
}

const failure = 'Retry with exponential backoff; nothing was charged';

const [smallest] = models;
const largest = models.toSorted((one, other) => other.minPlanRank - one.minPlanRank)[0];

/** Cause, remedy and example for every error code. */
export const errorCauses: Readonly<Record<ErrorCode, Cause>> = {
  INVALID_FORMAT: {
    cause: 'The request does not match its schema, or is not valid JSON',
    remedy: 'Correct the field that `detail` names; do not retry unchanged',
    detail: 'temperature must be at most 2.',
  },
  CONTEXT_LENGTH_EXCEEDED: {
    cause: "Input and requested output do not fit into the model's context",
    remedy: 'Shorten the input, lower the maximum tokens, or use a model with a larger context window',
    detail: `context_length_exceeded: ${smallest?.id} accepts ${smallest?.contextWindow} tokens, and the text has ${(smallest?.contextWindow ?? 0) + 905}.`,
  },
  INVALID_TOKEN: {
    cause: 'The token of an emailed link is wrong, used, replaced by a newer one, or too old',
    remedy: 'Request a new email',
    detail: 'The reset link has expired or was already used. Request a new one.',
  },
  INVALID_API_KEY: {
    cause: 'No credential, or a key or session that is wrong, expired, revoked or suspended',
    remedy: 'Send `Authorization: Bearer` and a key that is active',
    detail: 'The API key is unknown, revoked, suspended or expired. Use an active key.',
  },
  INVALID_CREDENTIALS: {
    cause: 'The email address or the password is wrong, or the sign-in was too long ago for this operation',
    remedy: 'Try again, sign in again, or reset the password',
    detail: 'Incorrect email address or password.',
  },
  INVALID_IDENTITY_TOKEN: {
    cause: 'The identity token is from another provider, for another service, expired, or already used',
    remedy: 'Sign in with the provider again',
    detail: 'The identity token was already used. Sign in with the provider again.',
  },
  SECOND_FACTOR_REQUIRED: {
    cause: 'The account has an authenticator app, and no code was sent',
    remedy:
      'Finish a sign-in with `POST /auth/second-factor`; otherwise repeat the request with `code` or `recoveryCode`',
    detail: 'The account uses two-step sign-in. Send the code of the authenticator app, or a recovery code.',
  },
  INSUFFICIENT_CREDITS: {
    cause: 'The credits, or the calls of the month, are used up',
    remedy: 'Upgrade the plan, buy credits if the service sells packs, or wait for the next month',
    detail: 'The credits are used up; upgrade the plan or wait for the next month.',
  },
  PAYMENT_ACTION_REQUIRED: {
    cause: "The buyer's bank requires authentication of the payment",
    remedy:
      'Open the link in `detail` to confirm it, or without a link pay with `POST /payments/checkout`. Nothing changes until then',
    detail: 'The payment requires confirmation by your bank. Confirm payment ord_1 at https://pay.example.com/invoice.',
  },
  PAYMENT_DECLINED: {
    cause: 'The saved card was declined',
    remedy: 'Change the card in the customer portal, then try again',
    detail: 'The saved card was declined. Change it with POST /payments/portal, then try again.',
  },
  PAYMENT_METHOD_REQUIRED: {
    cause: 'The account has no saved card that could pay',
    remedy: 'Pay with `POST /payments/checkout`, which saves the card',
    detail: 'The account has no saved card. Pay with POST /payments/checkout, which saves it.',
  },
  INSUFFICIENT_PERMISSIONS: {
    cause:
      'The plan or the key does not include the model or service, the role or kind of credential does not permit the operation, or another site sent the request',
    remedy: 'Upgrade the plan, or sign in with an account that has permission',
    detail: `The model ${largest?.id} requires the plan ${planListing.find(({ id }) => id === largest?.minPlanRank)?.name} or above.`,
  },
  SECOND_FACTOR_NOT_ENABLED: {
    cause: 'The organization requires two-step sign-in, and the account has none',
    remedy: 'Set up an authenticator app, or sign in with a passkey. API keys are not affected',
    detail:
      'The organization requires two-step sign-in. Set up an authenticator app, or add a passkey and sign in with it.',
  },
  KEY_LIMIT_EXCEEDED: {
    cause: "The call may cost more than the key's own spending limit has left in its period",
    remedy: 'Wait for the reset that `detail` names, raise the limit, or use another key',
    detail:
      "This call needs up to 1 credit, and the key's limit of 5 credits per day has 0 left; it resets at 2027-03-02T00:00:00.000Z.",
  },
  ACCOUNT_NOT_CONFIRMED: {
    cause: 'The email address is not confirmed yet',
    remedy: 'Open the link in the confirmation email, or request a new one',
    detail: 'Confirm your email address first. Open the link in the email that was sent at registration.',
  },
  NOT_FOUND: {
    cause: 'The path does not exist, or the account has no such object',
    remedy: 'Check the method, the path and the id',
    detail: 'There is no such key.',
  },
  METHOD_NOT_ALLOWED: {
    cause: 'The path does not support this method',
    remedy: 'Use a method that the `Allow` header lists',
    detail: 'PUT is not allowed at this path; allowed methods: POST, GET.',
  },
  EMAIL_ALREADY_REGISTERED: {
    cause: 'Another account has the address',
    remedy: 'Sign in, or reset the password',
    detail: 'An account with this email address already exists. Sign in instead.',
  },
  ALREADY_SUBSCRIBED: {
    cause: 'The account has an active subscription',
    remedy: 'Upgrade, downgrade or cancel it',
    detail: 'The account already has an active subscription. Upgrade, downgrade or cancel it.',
  },
  IDENTITY_NOT_LINKED: {
    cause: 'An account with a password has the address of the identity token',
    remedy: 'Sign in with the password, then send the token again with that session',
    detail: 'An account with this email address already exists. Sign in with its password, then send the token again.',
  },
  INVALID_STATE: {
    cause: 'The object is not in a state that allows this',
    remedy: 'Read its current state, then decide',
    detail: 'The key is revoked. Create a new one.',
  },
  RECIPIENT_OPTED_OUT: {
    cause: 'The recipient has replied STOP, or is on the opt-out list',
    remedy: 'Do not send to the number again; nothing was charged',
    detail: 'The recipient has opted out of messages and must opt in again first. Nothing was charged.',
  },
  REPLAY_UNAVAILABLE: {
    cause: 'The request with this Idempotency-Key succeeded, with a stream or a response too long to store',
    remedy: 'It was executed: check the usage, and use a new key for a new request',
    detail: 'The request hV3kQ9sTz1LmXw7RbYc with this Idempotency-Key has completed; its response cannot be replayed.',
  },
  REQUEST_CANCELLED: {
    cause: 'The account cancelled the stream, before or after its first piece',
    remedy: 'No action is needed; the delivered output is charged',
    detail: 'The request was cancelled. You are charged for the output that was delivered.',
  },
  REQUEST_IN_PROGRESS: {
    cause: 'The first request with this Idempotency-Key is still running, or the conversation is waiting for a reply',
    remedy: 'Retry the same request after `Retry-After`, with the same key',
    detail: 'The first request with this Idempotency-Key is still running; try again in 5 s.',
  },
  PAYLOAD_TOO_LARGE: {
    cause: 'The body is larger than the operation accepts',
    remedy: 'Send less in one request',
    detail: 'The body may have at most 1048576 bytes.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    cause: 'The body has a type that the operation does not accept, or is compressed',
    remedy: 'Set the `Content-Type` that `detail` names, usually `application/json`, and no `Content-Encoding`',
    detail: 'The Content-Type must be application/json, without a Content-Encoding.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    cause: 'The Idempotency-Key was used for a request with another body',
    remedy: 'Use a new key for each request',
    detail: 'The Idempotency-Key was used for a request with a different body. Use a new key for each request.',
  },
  RATE_LIMIT_EXCEEDED: {
    cause:
      'More calls per minute or more concurrent calls than the plan allows, too many attempts to sign in, too many changes of keys or the subscription, or too many requests that are not charged: with an Idempotency-Key, counts of tokens, or calls whose responses do not fit their format',
    remedy: 'Wait for `Retry-After`, then retry with exponential backoff',
    detail: 'The plan allows 100 calls per minute; try again in 12 s.',
  },
  INTERNAL_ERROR: {
    cause: 'A defect in the service',
    remedy: `${failure}; report the request id if it persists`,
    detail: 'Something went wrong on our side. Contact support with the request ID hV3kQ9sTz1LmXw7RbYc.',
  },
  DELIVERY_ERROR: {
    cause: 'The carrier failed, or did not accept the message',
    remedy: failure,
    detail: 'The carrier did not accept the message. Nothing was charged. Try again later.',
  },
  MODEL_ERROR: { cause: 'The model failed', remedy: failure, detail: 'The model failed. You were not charged.' },
  SERVICE_UNAVAILABLE: {
    cause: 'A dependency of the service is unavailable or busy',
    remedy: 'Retry after `Retry-After`; nothing was charged',
    detail: 'The service is busy. Try again.',
  },
  MODEL_TIMEOUT: {
    cause: 'The model took too long',
    remedy: failure,
    detail: 'The model did not respond in time. You were not charged.',
  },
};
