import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { errorEnvelope } from '#contract/http/format.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';

interface GatewayResponse {
  readonly type: ResponseType;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly retryAfterSeconds?: number;
}

const nowhere = { code: 'NOT_FOUND', detail: 'There is nothing at this path.' } as const;
const ours = { code: 'INTERNAL_ERROR', detail: 'Something went wrong on our side.' } as const;
const malformed = { code: 'INVALID_FORMAT', detail: 'The request is malformed.' } as const;
const unknownKey = { code: 'INVALID_API_KEY', detail: 'The credential is missing or not valid.' } as const;

/**
 * Responses that API Gateway returns without invoking a function. For an unmatched path it expects a signature, so its
 * errors about tokens and signatures mean that the path does not exist. A throttled function (429 of Invoke) is an
 * integration failure, for which API Gateway would return 504 (AWS "Gateway response types for API Gateway").
 */
const responses: readonly GatewayResponse[] = [
  { type: ResponseType.ACCESS_DENIED, ...nowhere },
  { type: ResponseType.EXPIRED_TOKEN, ...nowhere },
  { type: ResponseType.INVALID_SIGNATURE, ...nowhere },
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, ...nowhere },
  { type: ResponseType.RESOURCE_NOT_FOUND, ...nowhere },
  { type: ResponseType.UNAUTHORIZED, ...unknownKey },
  { type: ResponseType.INVALID_API_KEY, ...unknownKey },
  { type: ResponseType.BAD_REQUEST_BODY, ...malformed },
  { type: ResponseType.BAD_REQUEST_PARAMETERS, ...malformed },
  { type: ResponseType.DEFAULT_4XX, ...malformed },
  { type: ResponseType.REQUEST_TOO_LARGE, code: 'PAYLOAD_TOO_LARGE', detail: 'The body is larger than 10 MB.' },
  {
    type: ResponseType.UNSUPPORTED_MEDIA_TYPE,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    detail: 'The body must be application/json.',
  },
  {
    type: ResponseType.WAF_FILTERED,
    code: 'INSUFFICIENT_PERMISSIONS',
    detail: 'The firewall blocked this request.',
  },
  { type: ResponseType.THROTTLED, ...tooMany(1) },
  { type: ResponseType.QUOTA_EXCEEDED, ...tooMany(60) },
  { type: ResponseType.INTEGRATION_TIMEOUT, code: 'MODEL_TIMEOUT', detail: 'The model did not respond in time.' },
  {
    type: ResponseType.INTEGRATION_FAILURE,
    code: 'SERVICE_UNAVAILABLE',
    detail: 'The service is busy. Try again.',
    retryAfterSeconds: 1,
  },
  { type: ResponseType.API_CONFIGURATION_ERROR, ...ours },
  { type: ResponseType.AUTHORIZER_CONFIGURATION_ERROR, ...ours },
  { type: ResponseType.AUTHORIZER_FAILURE, ...ours },
  { type: ResponseType.DEFAULT_5XX, ...ours },
];

function tooMany(retryAfterSeconds: number) {
  const detail = `The service takes no more requests at the moment; try again in ${retryAfterSeconds} s.`;
  return { code: 'RATE_LIMIT_EXCEEDED', detail, retryAfterSeconds } as const;
}

/**
 * Wraps every response that API Gateway itself returns in the envelope of the specification. With `forPages`, pages of
 * any origin may read these errors, which contain no data. The edge adds the header itself, for its allowed origins.
 */
export function envelopeGatewayResponses(api: RestApi, { forPages }: { readonly forPages: boolean }): void {
  for (const { type, code, detail, retryAfterSeconds } of responses) {
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(errorStatus[code]),
      templates: { 'application/json': JSON.stringify(errorEnvelope(code, detail)) },
      responseHeaders: {
        'x-request-id': 'context.requestId',
        'Cache-Control': "'no-store'",
        ...(forPages && { 'Access-Control-Allow-Origin': "'*'" }),
        ...(retryAfterSeconds !== undefined && { 'Retry-After': `'${retryAfterSeconds}'` }),
      },
    });
  }
}
