import type { APIGatewayProxyEvent } from 'aws-lambda';
import { bodyKindOf } from '#contract/http/request.ts';
import type { Route } from '#contract/http/route.ts';
import type { ContentBody } from '#contract/requests/stored-content.ts';
import { StreamedBytes, StreamedResponse } from '#domain/inference/streamed-response.ts';
import type { Content, ContentPlace } from '#domain/requests/stored-content.ts';
import type { Call, CallContext, Middleware } from './call.ts';
import { headerValues } from './headers.ts';

export interface ContentWriter {
  put(place: ContentPlace, content: Content, days: number): Promise<void>;
  /** Reports a failure, which the caller does not notice. */
  readonly onLost: (error: unknown) => void;
}

type Domain = typeof import('#domain/requests/stored-content.ts') &
  typeof import('#domain/requests/assembled-stream.ts');

const json = 'application/json';

/**
 * Stores prompt and response of a call whose key asks for it, after the response has been sent
 * (docs/adr/0046-stored-content.md). Use it before `envelope`, whose response it stores.
 */
export function storeContent({ priced }: Pick<Route, 'priced'>, writer: () => ContentWriter | undefined): Middleware {
  function prepare({ event, context: { call } }: { event: APIGatewayProxyEvent; context: CallContext }): void {
    const { identity, admission, response } = call;
    const caller = identity?.caller;
    const to = caller?.kind === 'key' && admission ? writer() : undefined;
    const days = to && admission?.openHold.contentDays;
    if (!to || days === undefined || caller?.kind !== 'key') return;
    response.contentDays = days;
    const place: ContentPlace = { accountId: caller.accountId, keyId: caller.keyId, requestId: call.requestId };
    const responseOf = responseBody(call);
    response.followBy(async () => {
      try {
        const domain = await loadDomain();
        const content = domain.contentOf({
          requestId: call.requestId,
          at: call.startedAt,
          days,
          isStream: call.order?.stream ?? false,
          request: requestBody(event, domain),
          response: responseOf(domain),
        });
        await to.put(place, content, days);
      } catch (error) {
        to.onLost(error);
      }
    });
  }

  /** Records a stream from its first chunk on. */
  function responseBody({ admission, response }: Call): (domain: Domain) => ContentBody {
    const result = admission?.result;
    const { body } = response;
    const contentType = response.headers['Content-Type'] ?? json;
    if (body !== undefined)
      return ({ textBody, describedBody }) =>
        priced?.capability === 'embeddings' && response.refusal === undefined
          ? describedBody(contentType, Buffer.byteLength(body))
          : textBody(contentType, body);
    if (result instanceof StreamedBytes) return ({ describedBody }) => describedBody(result.contentType, null);
    const events = result instanceof StreamedResponse ? result.record() : [];
    return ({ textBody, assembledStream }) => textBody(json, JSON.stringify(assembledStream(events)));
  }

  return { after: prepare, onError: prepare };
}

function requestBody(event: APIGatewayProxyEvent, { textBody, describedBody }: Domain): ContentBody {
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

/** Loaded for calls whose content is stored. */
const loadDomain = async (): Promise<Domain> => ({
  ...(await import('#domain/requests/stored-content.ts')),
  ...(await import('#domain/requests/assembled-stream.ts')),
});
