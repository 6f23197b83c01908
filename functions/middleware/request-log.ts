import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Route } from '#contract/http/route.ts';
import type { RequestRecord } from '#contract/platform/request-record.ts';
import type { ErrorCode } from '#contract/shared/errors.ts';
import type { Call, Middleware } from './call.ts';
import { ResponseLifecycle } from './response-lifecycle.ts';

/** One line for each request: these fields and no others, so that no secret, prompt or email address can get into a log. */
export interface RequestLine {
  readonly requestId: string;
  readonly route: string;
  readonly status: number;
  /** Why the call failed or was refused; of a stream that broke, beside its status 200. */
  readonly code: ErrorCode | undefined;
  /** Until the response had left, where the function streams; else until it was made. */
  readonly latencyMs: number;
  /** Until the first piece of a stream left. */
  readonly firstByteMs: number | undefined;
  /** The address it came from, as far as it can be trusted (docs/security.md#what-is-logged). */
  readonly callerAddress: string | undefined;
  readonly accountId: number | undefined;
  readonly keyId: string | undefined;
  /** Microcredits. */
  readonly cost: number;
  /** What the account may list of a priced request (docs/adr/0014-request-logs.md). */
  readonly record: RequestRecord | undefined;
}

export interface RequestLog {
  readonly now: () => number;
  readonly newRequestId: () => string;
  readonly addressOf: (event: APIGatewayProxyEvent) => string | undefined;
  readonly write: (line: RequestLine) => void;
}

/** Names the request, and writes its line, with its record where there is one, when its response is closed. */
export function requestLog(
  route: Pick<Route, 'id'>,
  log: () => RequestLog,
  recordOf?: (call: Call) => RequestRecord | undefined,
): Middleware {
  function writeLine(call: Call, callerAddress: string | undefined): void {
    const { now, write } = log();
    const { requestId, startedAt, caller, response } = call;
    const { status = 500, refusal, firstByteAt } = response;
    write({
      requestId,
      route: route.id,
      status,
      code: refusal?.code,
      latencyMs: now() - startedAt,
      firstByteMs: firstByteAt === undefined ? undefined : firstByteAt - startedAt,
      callerAddress,
      accountId: caller?.accountId,
      keyId: caller?.kind === 'key' ? caller.keyId : undefined,
      cost: status < 400 ? response.cost : 0,
      record: recordOf?.(call),
    });
  }

  return {
    before: function nameRequest({ event, context }) {
      const { now, newRequestId, addressOf } = log();
      const callerAddress = addressOf(event);
      const call: Call = {
        requestId: newRequestId(),
        startedAt: now(),
        response: new ResponseLifecycle(now, () => writeLine(call, callerAddress)),
        input: { path: undefined, query: undefined, body: undefined },
      };
      context.call = call;
    },
  };
}
