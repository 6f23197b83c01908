import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { beforeAll, expect, test } from 'vitest';
import { errorStatus } from '#contract/shared/errors.ts';
import { ofType, synthesise } from '../synth.ts';

interface GatewayResponse {
  readonly ResponseType: string;
  readonly StatusCode: string;
  readonly ResponseTemplates: Record<string, string>;
  readonly ResponseParameters: Record<string, string>;
}

let responses: readonly GatewayResponse[];

beforeAll(async () => {
  const found = ofType((await synthesise()).api, 'AWS::ApiGateway::GatewayResponse');
  responses = found.map(([, { Properties }]) => Properties as unknown as GatewayResponse);
});

const envelopeOf = (response: GatewayResponse) =>
  JSON.parse(response.ResponseTemplates['application/json'] ?? '') as Record<string, unknown>;

test('every response that API Gateway returns itself is replaced', () => {
  const known = Object.values(ResponseType).filter((type) => type instanceof ResponseType);
  expect(known.length).toBeGreaterThan(20);
  expect(responses.map((response) => response.ResponseType).toSorted()).toEqual(
    known.map(({ responseType }) => responseType).toSorted(),
  );
});

test('each is an error envelope with a code of the table and its status', () => {
  for (const response of responses) {
    const { message, detail, ...rest } = envelopeOf(response);
    expect(errorStatus).toHaveProperty(String(message));
    const status = errorStatus[message as keyof typeof errorStatus];
    expect(rest).toEqual({ error: true, data: null, status });
    expect(response.StatusCode).toBe(String(status));
    expect(detail).toMatch(/\.$/);
  }
});

test('each names its request and none is cached', () => {
  for (const { ResponseParameters } of responses) {
    expect(ResponseParameters).toMatchObject({
      'gatewayresponse.header.x-request-id': 'context.requestId',
      'gatewayresponse.header.Cache-Control': "'no-store'",
    });
  }
});

test('429 and 503, and only they, have Retry-After in whole seconds', () => {
  for (const { StatusCode, ResponseParameters } of responses) {
    const retryAfter = ResponseParameters['gatewayresponse.header.Retry-After'] ?? 'none';
    expect(retryAfter).toMatch(['429', '503'].includes(StatusCode) ? /^'[1-9]\d*'$/ : /^none$/);
  }
});

test('a function that Lambda throttles is 503 with Retry-After: its integration fails', () => {
  const throttled = responses.find((response) => response.ResponseType === 'INTEGRATION_FAILURE')!;
  expect(throttled.StatusCode).toBe('503');
  expect(throttled.ResponseParameters['gatewayresponse.header.Retry-After']).toBe("'1'");
  expect(envelopeOf(throttled)).toMatchObject({
    message: 'SERVICE_UNAVAILABLE',
    detail: 'The service is busy. Try again.',
  });
});

test('what callers meet has the code they expect', () => {
  const codes = Object.fromEntries(
    responses.map((response) => [response.ResponseType, envelopeOf(response)['message']]),
  );
  expect(codes).toMatchObject({
    MISSING_AUTHENTICATION_TOKEN: 'NOT_FOUND',
    RESOURCE_NOT_FOUND: 'NOT_FOUND',
    REQUEST_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
    UNSUPPORTED_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
    THROTTLED: 'RATE_LIMIT_EXCEEDED',
    WAF_FILTERED: 'INSUFFICIENT_PERMISSIONS',
    INTEGRATION_TIMEOUT: 'MODEL_TIMEOUT',
    INTEGRATION_FAILURE: 'SERVICE_UNAVAILABLE',
    DEFAULT_4XX: 'INVALID_FORMAT',
    DEFAULT_5XX: 'INTERNAL_ERROR',
  });
});
