import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { findModel } from '#contract/inference/models.ts';
import { maxRecordedDetail, recordedHeaders, type RequestRecord } from '#contract/platform/request-record.ts';
import type { ErrorCode } from '#contract/shared/errors.ts';
import { StreamedResponse } from '#domain/inference/streamed-response.ts';
import type { Call, Middleware } from './call.ts';
import { ResponseLifecycle } from './call.ts';

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

/** Whose key works and is refused all the same meets these in the admission. */
const admissionRefusals: ReadonlySet<ErrorCode | undefined> = new Set([
  'INSUFFICIENT_PERMISSIONS',
  'KEY_LIMIT_EXCEEDED',
  'RATE_LIMIT_EXCEEDED',
  'INSUFFICIENT_CREDITS',
] as const);

/**
 * What is recorded of a priced request, once its response is closed: nothing where no credential was proved, as anybody can name
 * an account, and nothing of refusals beyond what is sampled.
 */
export function recordOf(
  call: Call,
  priced: NonNullable<Route['priced']>,
  sample: RefusalSampler,
): RequestRecord | undefined {
  const { caller, openHold, startedAt, response } = call;
  if (!caller || !isProved(call)) return undefined;
  const unlisted = openHold ? 0 : sample(caller.accountId, startedAt);
  if (unlisted === undefined) return undefined;
  const model = modelOf(call, priced);
  const detail = withoutQuotes(response.refusal?.detail)?.slice(0, maxRecordedDetail);
  return {
    at: startedAt,
    service: call.order?.service ?? priced.service,
    isStream: call.order?.stream ?? false,
    ...(model !== undefined && { model }),
    ...tokensOf(call.result),
    ...(detail !== undefined && { detail }),
    headers: headersOf(response.headers),
    ...(unlisted > 0 && { unlisted }),
  };
}

function isProved({ caller, openHold, isProved, response: { refusal } }: Call): boolean {
  return (
    caller?.kind === 'session' || openHold !== undefined || isProved === true || admissionRefusals.has(refusal?.code)
  );
}

/**
 * A refusal may quote a key of the body, which is the caller's text. An unterminated quotation extends to the end of
 * the detail.
 */
const withoutQuotes = (detail?: string): string | undefined =>
  detail?.replaceAll(/"(?:[^"\\]|\\[^])*(?:"|\\?$)/g, '"…"');

const Named = v.object({ model: v.string() });

/** That of the order; where there is none, the one the body names, if there is such a model. */
function modelOf({ order, input }: Call, { capability }: NonNullable<Route['priced']>): string | undefined {
  if (order) return order.model || undefined;
  return capability && v.is(Named, input.body) ? findModel(input.body.model, capability)?.id : undefined;
}

const Used = v.object({ usage: v.object({ prompt_tokens: v.number(), completion_tokens: v.optional(v.number()) }) });

/** As the response reports them; of a stream, as far as its model or its charge has counted them. */
function tokensOf(result: unknown): Pick<RequestRecord, 'promptTokens' | 'completionTokens'> {
  const source = result instanceof StreamedResponse ? { usage: result.usage } : result;
  if (!v.is(Used, source)) return {};
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = source.usage;
  return { promptTokens, ...(completionTokens !== undefined && { completionTokens }) };
}

function headersOf(sent: Readonly<Record<string, string>>): RequestRecord['headers'] {
  const headers: RequestRecord['headers'] = {};
  for (const name of recordedHeaders) {
    const value = sent[name];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

/** Refusals of an account in a minute that are all recorded; beyond, only those at which their number has doubled are. */
export const fullyRecorded = 20;

const minuteMs = 60_000;

/**
 * Whether a refusal of an account at `now` (epoch ms) is recorded: the number of refusals just before it that are not, or
 * undefined where it is not.
 */
export type RefusalSampler = (accountId: number, now: number) => number | undefined;

/** Counts for one process, so that a flood writes little and costs no round trip (docs/adr/0014-request-logs.md). */
export function createRefusalSampler(): RefusalSampler {
  let minute = 0;
  let counts = new Map<number, number>();

  return (accountId, now) => {
    const current = Math.floor(now / minuteMs);
    if (current !== minute) [minute, counts] = [current, new Map()];
    const count = (counts.get(accountId) ?? 0) + 1;
    counts.set(accountId, count);
    if (count <= fullyRecorded) return 0;
    const doublings = Math.log2(count / fullyRecorded);
    return Number.isInteger(doublings) ? count / 2 - 1 : undefined;
  };
}
