import type { Route } from '#contract/http/route.ts';
import { StreamedResponse } from '#domain/inference/streamed-response.ts';
import type { Content, ContentPlace } from '#domain/requests/stored-content.ts';
import type { Middleware } from './call.ts';

export interface ContentWriter {
  put(place: ContentPlace, content: Content, days: number): Promise<void>;
  /** Reports a failure, which the caller does not notice. */
  readonly onLost: (error: unknown) => void;
}

/**
 * Stores prompt and response of a call whose key asks for it, after the response has been sent
 * (docs/adr/0046-stored-content.md). Use it before `envelope`, whose response it stores.
 */
export function storeContent(route: Pick<Route, 'priced'>, writer: () => ContentWriter | undefined): Middleware {
  const prepare: NonNullable<Middleware['after']> = ({ event, context: { call } }) => {
    const { identity, admission, requestId } = call;
    const caller = identity?.caller;
    const to = caller?.kind === 'key' && admission ? writer() : undefined;
    const days = to && admission?.openHold.contentDays;
    if (!to || days === undefined || caller?.kind !== 'key') return;
    call.response.contentDays = days;
    const result = admission?.result;
    // From its first chunk on.
    const events = result instanceof StreamedResponse ? result.record() : [];
    call.response.followBy(async () => {
      try {
        const { contentOfCall } = await import('./content-of-call.ts');
        const content = contentOfCall(event, call, { route, days, events });
        await to.put({ accountId: caller.accountId, keyId: caller.keyId, requestId }, content, days);
      } catch (error) {
        to.onLost(error);
      }
    });
  };
  return { after: prepare, onError: prepare };
}
