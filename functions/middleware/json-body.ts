import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type BodyKind, bodyKindOf } from '#contract/http/request.ts';
import type { Route } from '#contract/http/route.ts';
import { isJsonObject } from '#contract/shared/json.ts';
import { limits } from '#contract/shared/limits.ts';
import type { Proof } from '#domain/inference/order.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { endOfString, type JsonLiterals, minLiteralUnits } from '#domain/shared/text.ts';
import { headerValues } from './headers.ts';

interface JsonBody {
  readonly value: unknown;
  readonly literals?: JsonLiterals | undefined;
}

type ReadBody = JsonBody & { readonly kind: BodyKind };

export async function requestBody(event: APIGatewayProxyEvent, route: Route, prove: Proof): Promise<ReadBody> {
  const { bodyKinds, bodyInput } = route;
  if (!bodyKinds.includes('multipart'))
    return { kind: 'json', ...jsonBody(event, { orNull: bodyInput?.type === 'nullable' }) };
  // Parsing megabytes costs more than verifying the key.
  await prove();
  const [contentType = ''] = headerValues(event, 'content-type');
  if (!event.body || bodyKindOf(contentType) !== 'multipart') return { kind: 'json', ...jsonBody(event) };
  const { formBody } = await import('./form-body.ts');
  const bytes = Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
  event.body = null;
  return { kind: 'multipart', value: await formBody(bytes, contentType) };
}

/**
 * Parses a JSON object. Throws 400 for deep nesting, and for duplicate or `__proto__` keys, which parsers interpret
 * differently.
 */
export function jsonBody(event: APIGatewayProxyEvent, { orNull = false } = {}): JsonBody {
  if (!event.body) return { value: undefined };
  const text = event.isBase64Encoded ? decoded(event.body) : event.body;
  const value = parsed(text);
  if (value === null && orNull) return { value };
  if (!isJsonObject(value)) throw new ServiceError('INVALID_FORMAT', 'The body must be a JSON object.');
  const long = refuseAmbiguous(text);
  return { value, literals: long.length > 0 ? literalsOf(value, long) : undefined };
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

/** A long string of a document. `position`: among its strings that are not keys. */
interface LongString {
  readonly position: number;
  readonly literal: string;
}

/** Returns the long strings that are not keys, in the order of the document. */
function refuseAmbiguous(text: string): readonly LongString[] {
  const open: (Set<string> | undefined)[] = [];
  const long: LongString[] = [];
  let [start, end] = [0, 0];
  let strings = 0;
  let isInOrder = true;
  for (let at = 0; at < text.length; at++) {
    const mark = text[at];
    if (mark === '"') {
      start = at;
      end = endOfString(text, start + 1);
      at = end;
      if (end - start > minLiteralUnits) long.push({ position: strings, literal: text.slice(start, end + 1) });
      strings += 1;
    } else if (mark === '{') open.push(new Set());
    else if (mark === '[') open.push(undefined);
    else if (mark === '}' || mark === ']') open.pop();
    else if (mark === ':') {
      const literal = text.slice(start, end + 1);
      refuseKey(literal, open.at(-1));
      strings -= 1;
      if (long.at(-1)?.position === strings) long.pop();
      isInOrder &&= !/^"[\\\d]/.test(literal);
    }
    if (open.length > limits.jsonDepth) {
      throw new ServiceError('INVALID_FORMAT', `The body may nest at most ${limits.jsonDepth} levels.`);
    }
  }
  // Objects have keys that are integers first.
  return isInOrder ? long : [];
}

/** Finds the long strings again in the parsed document. */
function literalsOf(body: unknown, long: readonly LongString[]): JsonLiterals {
  const literals = new Map<string, string>();
  let strings = 0;
  let found = 0;
  function visit(value: unknown): void {
    if (found === long.length) return;
    if (typeof value === 'string') {
      const { position, literal = '' } = long[found] ?? {};
      if (position === strings) {
        literals.set(value, literal);
        found += 1;
      }
      strings += 1;
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Array.isArray(value) ? value : Object.values(value)) visit(inner);
    }
  }
  visit(body);
  return literals;
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
