import type { Route } from '#contract/route.ts';
import type { Call, Middleware } from './call.ts';

/** One line for each request: these fields and no others, so that no secret, prompt or address can get into a log. */
export interface RequestLine {
  readonly requestId: string;
  readonly route: string;
  readonly status: number;
  readonly latencyMs: number;
  readonly accountId: number | undefined;
  readonly keyId: string | undefined;
  /** Microcredits. */
  readonly cost: number;
}

export interface RequestLog {
  now(): number;
  newRequestId(): string;
  write(line: RequestLine): void;
}

/** Names the request and writes its line when the answer's head is known. */
export function requestLog(route: Pick<Route, 'id'>, log: () => RequestLog): Middleware {
  function writeLine(call: Call): void {
    const { accountId } = call.caller ?? {};
    const keyId = call.caller?.kind === 'key' ? call.caller.keyId : undefined;
    const latencyMs = log().now() - call.startedAt;
    const { status = 500 } = call;
    const cost = status < 400 ? call.cost : 0;
    log().write({ requestId: call.requestId, route: route.id, status, latencyMs, accountId, keyId, cost });
  }

  return {
    before: function nameRequest({ context }) {
      const input = { path: undefined, query: undefined, body: undefined };
      context.call = { requestId: log().newRequestId(), startedAt: log().now(), input, cost: 0, headers: {} };
    },
    after: function logReply({ context }) {
      writeLine(context.call);
    },
    onError: function logError({ context }) {
      writeLine(context.call);
    },
  };
}
