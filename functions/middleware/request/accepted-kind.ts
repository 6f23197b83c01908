import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { ResponseKind } from '#contract/http/media-kinds.ts';
import { headerValues } from './headers.ts';

/** A header is read no further: a browser's has some hundred characters. */
const maxCharacters = 1024;

/**
 * The kind of response that a caller requests of a route: audio where the Accept header names audio (`audio/*`, `audio/mpeg`) and
 * weighs JSON no higher; else the first that the route has. A wildcard for everything chooses nothing (RFC 9110, 12.5.1).
 */
export function acceptedKind(event: APIGatewayProxyEvent, kinds: readonly ResponseKind[]): ResponseKind {
  const [first = 'json'] = kinds;
  if (first === 'audio' || !kinds.includes('audio')) return first;
  const accepted = headerValues(event, 'accept')
    .join(',')
    .slice(0, maxCharacters)
    .toLowerCase()
    .split(',')
    .map(weighed);
  const weightOf = (type: string) => Math.max(0, ...accepted.flatMap((range) => (range.type === type ? range.q : [])));
  const audio = weightOf('audio');
  return audio > 0 && audio >= weightOf('application') ? 'audio' : first;
}

/** A media range by its type, such as `audio`, and its weight. */
function weighed(range: string): { readonly type: string; readonly q: number } {
  const [mediaType = '', ...parameters] = range.split(';').map((part) => part.trim());
  const q = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return { type: mediaType.split('/', 1)[0] ?? '', q: Number.isFinite(q) ? q : 0 };
}
