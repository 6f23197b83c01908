import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Route } from '#contract/http/route.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Middleware } from './call.ts';
import { headerValues } from './request/headers.ts';

/** Refuses a body for its size or type, before anyone looks at credentials (docs/design/http.md#order-whole). */
export function accept(route: Route): Middleware {
  return {
    before: function acceptBody({ event }) {
      if (!event.body) return;
      if (bodyBytes(event) > route.maxBodyBytes) {
        throw new ServiceError('PAYLOAD_TOO_LARGE', `The body may have at most ${route.maxBodyBytes} bytes.`);
      }
      if (route.bodyInput && !isPlainJson(event)) {
        throw new ServiceError(
          'UNSUPPORTED_MEDIA_TYPE',
          'The Content-Type must be application/json, without a Content-Encoding.',
        );
      }
    },
  };
}

function bodyBytes(event: APIGatewayProxyEvent): number {
  return Buffer.byteLength(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
}

function isPlainJson(event: APIGatewayProxyEvent): boolean {
  const types = headerValues(event, 'content-type');
  const encodings = headerValues(event, 'content-encoding');
  const isJson = types.length === 1 && /^application\/json\s*(;|$)/i.test(types[0] ?? '');
  return isJson && encodings.every((encoding) => encoding.toLowerCase() === 'identity');
}
