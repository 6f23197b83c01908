import type { APIGatewayProxyEvent } from 'aws-lambda';
import { bodyKindOf, bodyTypes } from '#contract/http/media-kinds.ts';
import type { Route } from '#contract/http/route.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Middleware } from './call.ts';
import { acceptedKind } from './request/accepted-kind.ts';
import { headerValues } from './request/headers.ts';

/** Refuses a body for its size or type, before anyone looks at credentials (docs/design/http.md#order-whole). */
export function accept(route: Route): Middleware {
  const types = route.bodyKinds.map((kind) => bodyTypes[kind]).join(' or ');

  return {
    before: function acceptBody({ event, context: { call } }) {
      call.responseKind = acceptedKind(event, route.responseKinds);
      if (!event.body) return;
      if (bodyBytes(event) > route.maxBodyBytes) {
        const detail = [`The body may have at most ${route.maxBodyBytes} bytes.`, route.largerBodies].filter(Boolean);
        throw new ServiceError('PAYLOAD_TOO_LARGE', detail.join(' '));
      }
      if (route.bodyInput && !isPlainly(event, route)) {
        throw new ServiceError(
          'UNSUPPORTED_MEDIA_TYPE',
          `The Content-Type must be ${types}, without a Content-Encoding.`,
        );
      }
    },
  };
}

function bodyBytes(event: APIGatewayProxyEvent): number {
  return Buffer.byteLength(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
}

/** Whether a body is of a kind that the route takes, and not compressed. */
function isPlainly(event: APIGatewayProxyEvent, { bodyKinds }: Route): boolean {
  const types = headerValues(event, 'content-type');
  const encodings = headerValues(event, 'content-encoding');
  const kind = types.length === 1 ? bodyKindOf(types[0] ?? '') : undefined;
  return (
    kind !== undefined && bodyKinds.includes(kind) && encodings.every((value) => value.toLowerCase() === 'identity')
  );
}
