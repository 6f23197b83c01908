import type { APIGatewayProxyEvent } from 'aws-lambda';
import { bodyKindOf, bodyTypes, type ResponseKind } from '#contract/http/request.ts';
import type { Route } from '#contract/http/route.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Middleware } from './call.ts';
import { headerValues } from './headers.ts';

/** Rejects a body by size or media type before authentication (docs/api.md#order-of-refusals). */
export function accept(route: Route): Middleware {
  const types = route.bodyKinds.map((kind) => bodyTypes[kind]).join(' or ');

  return {
    before: function acceptBody({ event, context: { call } }) {
      call.responseKind = acceptedKind(event, route.responseKinds);
      if (!event.body) return;
      if (isLarger(event.body, event.isBase64Encoded, route.maxBodyBytes)) {
        const detail = [`The body may have at most ${route.maxBodyBytes} bytes.`, route.largerBodies].filter(Boolean);
        throw new ServiceError('PAYLOAD_TOO_LARGE', detail.join(' '));
      }
      if (route.bodyInput && !isSupportedMediaType(event, route)) {
        throw new ServiceError(
          'UNSUPPORTED_MEDIA_TYPE',
          `The Content-Type must be ${types}, without a Content-Encoding.`,
        );
      }
    },
  };
}

/** A UTF-16 unit has at most three bytes, so most bodies need no count. */
function isLarger(body: string, isBase64: boolean, maxBytes: number): boolean {
  return body.length * 3 > maxBytes && Buffer.byteLength(body, isBase64 ? 'base64' : 'utf8') > maxBytes;
}

function isSupportedMediaType(event: APIGatewayProxyEvent, { bodyKinds }: Route): boolean {
  const types = headerValues(event, 'content-type');
  const encodings = headerValues(event, 'content-encoding');
  const kind = types.length === 1 ? bodyKindOf(types[0] ?? '') : undefined;
  return (
    kind !== undefined && bodyKinds.includes(kind) && encodings.every((value) => value.toLowerCase() === 'identity')
  );
}

/** Longer Accept headers are ignored; browsers send a few hundred characters. */
const maxCharacters = 1024;

/** Returns audio if the Accept header names audio and does not prefer JSON, else the first kind (RFC 9110, 12.5.1). */
export function acceptedKind(event: APIGatewayProxyEvent, kinds: readonly ResponseKind[]): ResponseKind {
  const [first = 'json'] = kinds;
  if (first === 'audio' || !kinds.includes('audio')) return first;
  const accepted = headerValues(event, 'accept')
    .join(',')
    .slice(0, maxCharacters)
    .toLowerCase()
    .split(',')
    .map(parseMediaRange);
  const weightOf = (type: string) => Math.max(0, ...accepted.flatMap((range) => (range.type === type ? range.q : [])));
  const audio = weightOf('audio');
  return audio > 0 && audio >= weightOf('application') ? 'audio' : first;
}

function parseMediaRange(range: string): { readonly type: string; readonly q: number } {
  const [mediaType = '', ...parameters] = range.split(';').map((part) => part.trim());
  const q = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return { type: mediaType.split('/', 1)[0] ?? '', q: Number.isFinite(q) ? q : 0 };
}
