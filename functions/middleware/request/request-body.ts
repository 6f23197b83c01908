import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type BodyKind, bodyKindOf } from '#contract/http/media-kinds.ts';
import type { Route } from '#contract/http/route.ts';
import type { Proof } from '#domain/inference/tokens.ts';
import { headerValues } from './headers.ts';
import { jsonBody } from './json-body.ts';

interface ReadBody {
  readonly kind: BodyKind;
  readonly value: unknown;
}

/** The body as its Content-Type has it: what JSON parses to, or the fields of a form. The parser of forms is loaded by the first one. */
export async function requestBody(event: APIGatewayProxyEvent, { bodyKinds }: Route, prove: Proof): Promise<ReadBody> {
  if (!bodyKinds.includes('multipart')) return { kind: 'json', value: jsonBody(event) };
  // Reading megabytes costs more than a key that is none.
  await prove();
  const [contentType = ''] = headerValues(event, 'content-type');
  if (!event.body || bodyKindOf(contentType) !== 'multipart') return { kind: 'json', value: jsonBody(event) };
  const { formBody } = await import('./form-body.ts');
  const bytes = Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
  // Megabytes that nobody reads again.
  event.body = null;
  return { kind: 'multipart', value: await formBody(bytes, contentType) };
}
