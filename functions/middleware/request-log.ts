import type { Route } from '#contract/http/route.ts';
import type { ErrorCode } from '#contract/shared/errors.ts';
import type { Call, Middleware } from './call.ts';

/** One line for each request: these fields and no others, so that no secret, prompt or address can get into a log. */
export interface RequestLine {
  readonly requestId: string;
  readonly route: string;
  readonly status: number;
  /** Why the caller did not get what was asked for; of a stream that broke, beside its status 200. */
  readonly code: ErrorCode | undefined;
  /** Until the answer had left, where it leaves in pieces; else until it was made. */
  readonly latencyMs: number;
  /** Until the first piece of a stream left. */
  readonly firstByteMs: number | undefined;
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

/** Names the request, and writes its line: once the answer is made, or has left where it leaves in pieces. */
export function requestLog(route: Pick<Route, 'id'>, log: () => RequestLog): Middleware {
  function writeLine(call: Call): void {
    const { accountId } = call.caller ?? {};
    const keyId = call.caller?.kind === 'key' ? call.caller.keyId : undefined;
    const latencyMs = log().now() - call.startedAt;
    const { requestId, status = 500, refusal: code, firstByteMs } = call;
    const cost = status < 400 ? call.cost : 0;
    log().write({ requestId, route: route.id, status, code, latencyMs, firstByteMs, accountId, keyId, cost });
  }

  return {
    before: function nameRequest({ context }) {
      const input = { path: undefined, query: undefined, body: undefined };
      const startedAt = log().now();
      const markFirstByte = () => {
        context.call.firstByteMs ??= log().now() - startedAt;
      };
      context.call = { requestId: log().newRequestId(), startedAt, input, cost: 0, headers: {}, markFirstByte };
    },
    after: function logReply({ context: { call } }) {
      const write = (): void => writeLine(call);
      if (call.afterBody) call.afterEnd = write;
      else write();
    },
    onError: function logError({ context }) {
      writeLine(context.call);
    },
  };
}
