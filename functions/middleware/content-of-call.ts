import type { APIGatewayProxyEvent } from 'aws-lambda';
import { bodyKindOf } from '#contract/http/request.ts';
import type { Route } from '#contract/http/route.ts';
import type { ContentBody } from '#contract/requests/stored-content.ts';
import { StreamedBytes } from '#domain/inference/streamed-response.ts';
import { assembledStream, type Content, contentOf, describedBody, textBody } from '#domain/requests/stored-content.ts';
import type { Call } from './call.ts';
import { headerValues } from './headers.ts';

const json = 'application/json';

interface Stored {
  readonly route: Pick<Route, 'priced'>;
  readonly days: number;
  /** Events of a stream; empty for other responses. */
  readonly events: readonly unknown[];
}

/** The content of a call as it is stored. Loaded only for such calls. */
export function contentOfCall(event: APIGatewayProxyEvent, call: Call, stored: Stored): Content {
  const { requestId, startedAt: at, order } = call;
  return contentOf({
    requestId,
    at,
    days: stored.days,
    isStream: order?.stream ?? false,
    request: requestBody(event),
    response: responseBody(call, stored),
  });
}

function requestBody(event: APIGatewayProxyEvent): ContentBody {
  const [contentType = json] = headerValues(event, 'content-type');
  const { body, isBase64Encoded } = event;
  // The bytes of a form are released once they have been parsed.
  if (bodyKindOf(contentType) === 'multipart' || body === null) return describedBody(contentType, lengthOf(event));
  return textBody(contentType, isBase64Encoded ? Buffer.from(body, 'base64').toString() : body);
}

function lengthOf(event: APIGatewayProxyEvent): number | null {
  const [length] = headerValues(event, 'content-length');
  return length === undefined ? null : Number(length) || null;
}

function responseBody({ admission, response }: Call, { route: { priced }, events }: Stored): ContentBody {
  const { body, headers, refusal } = response;
  const contentType = headers['Content-Type'] ?? json;
  const result = admission?.result;
  if (body === undefined)
    return result instanceof StreamedBytes
      ? describedBody(result.contentType, null)
      : textBody(json, JSON.stringify(assembledStream(events)));
  const isVectors = priced?.capability === 'embeddings' && refusal === undefined;
  return isVectors ? describedBody(contentType, Buffer.byteLength(body)) : textBody(contentType, body);
}
