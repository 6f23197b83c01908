import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type BodyKind, bodyKindOf } from '#contract/http/request.ts';
import type { Route } from '#contract/http/route.ts';
import { isJsonObject } from '#contract/shared/fields.ts';
import { limits } from '#contract/shared/limits.ts';
import type { Proof } from '#domain/inference/order.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { endOfString } from '#domain/shared/text.ts';
import { headerValues } from './headers.ts';

interface ReadBody {
  readonly kind: BodyKind;
  readonly value: unknown;
}

export async function requestBody(event: APIGatewayProxyEvent, route: Route, prove: Proof): Promise<ReadBody> {
  const { bodyKinds, bodyInput } = route;
  if (!bodyKinds.includes('multipart'))
    return { kind: 'json', value: jsonBody(event, { orNull: bodyInput?.type === 'nullable' }) };
  // Parsing megabytes costs more than verifying the key.
  await prove();
  const [contentType = ''] = headerValues(event, 'content-type');
  if (!event.body || bodyKindOf(contentType) !== 'multipart') return { kind: 'json', value: jsonBody(event) };
  const { formBody } = await import('./form-body.ts');
  const bytes = Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
  event.body = null;
  return { kind: 'multipart', value: await formBody(bytes, contentType) };
}

/**
 * Parses a JSON object. Throws 400 for deep nesting, and for duplicate or `__proto__` keys, which parsers interpret
 * differently.
 */
export function jsonBody(event: APIGatewayProxyEvent, { orNull = false } = {}): unknown {
  if (!event.body) return undefined;
  const text = event.isBase64Encoded ? decoded(event.body) : event.body;
  const body = parsed(text);
  if (body === null && orNull) return null;
  if (!isJsonObject(body)) throw new ServiceError('INVALID_FORMAT', 'The body must be a JSON object.');
  refuseAmbiguous(text);
  return body;
}

function decoded(base64: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64'));
  } catch (cause) {
    throw new ServiceError('INVALID_FORMAT', 'The body must be UTF-8.', { cause });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('INVALID_FORMAT', 'The body must be valid JSON.');
  }
}

function refuseAmbiguous(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  let [start, end] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const mark = text[at];
    if (mark === '"') {
      start = at;
      end = endOfString(text, start + 1);
      at = end;
    } else if (mark === '{') open.push(new Set());
    else if (mark === '[') open.push(undefined);
    else if (mark === '}' || mark === ']') open.pop();
    else if (mark === ':') refuseKey(text.slice(start, end + 1), open.at(-1));
    if (open.length > limits.jsonDepth) {
      throw new ServiceError('INVALID_FORMAT', `The body may nest at most ${limits.jsonDepth} levels.`);
    }
  }
}

function refuseKey(literal: string, keys: Set<string> | undefined): void {
  const key = literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);
  if (key === '__proto__') throw new ServiceError('INVALID_FORMAT', 'The body must not have a key named __proto__.');
  if (keys?.has(key))
    throw new ServiceError(
      'INVALID_FORMAT',
      `The body has the key ${JSON.stringify(key.slice(0, 64))} twice in one object.`,
    );
  keys?.add(key);
}
