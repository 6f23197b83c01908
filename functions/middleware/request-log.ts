import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { findModel } from '#contract/inference/models.ts';
import { maxRecordedDetail, recordedHeaders, type RequestRecord } from '#contract/platform/request-record.ts';
import type { ErrorCode } from '#contract/shared/errors.ts';
import { minuteMs } from '#contract/shared/time.ts';
import { StreamedResponse } from '#domain/inference/streamed-response.ts';
import { type Call, type Middleware, ResponseLifecycle } from './call.ts';

/** The log line of a request: a closed list, so that no secret, prompt or email address can reach the log. */
export interface RequestLine {
  readonly requestId: string;
  readonly route: string;
  readonly status: number;
  readonly code: ErrorCode | undefined;
  /** Time until the response was sent, for streaming functions; until it was built, for all others. */
  readonly latencyMs: number;
  readonly firstByteMs: number | undefined;
  /** The client address, as far as it can be trusted (docs/security.md#what-is-logged). */
  readonly callerAddress: string | undefined;
  readonly accountId: number | undefined;
  readonly keyId: string | undefined;
  /** Microcredits. */
  readonly cost: number;
  /** The fields listed to the account, for priced requests (docs/adr/0014-request-logs.md). */
  readonly record: RequestRecord | undefined;
}

export interface RequestLog {
  readonly now: () => number;
  readonly newRequestId: () => string;
  readonly addressOf: (event: APIGatewayProxyEvent) => string | undefined;
  readonly write: (line: RequestLine) => void;
}

export function requestLog(
  route: Pick<Route, 'id'>,
  log: () => RequestLog,
  recordOf?: (call: Call) => RequestRecord | undefined,
): Middleware {
  function writeLine(call: Call, callerAddress: string | undefined): void {
    const { now, write } = log();
    const { requestId, startedAt, response } = call;
    const caller = call.identity?.caller;
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
        responseKind: 'json',
        input: { path: undefined, query: undefined, body: undefined },
        cookies: {},
      };
      context.call = call;
    },
  };
}

const admissionRefusals: ReadonlySet<ErrorCode | undefined> = new Set([
  'INSUFFICIENT_PERMISSIONS',
  'KEY_LIMIT_EXCEEDED',
  'RATE_LIMIT_EXCEEDED',
  'INSUFFICIENT_CREDITS',
] as const);

/** Returns undefined for unauthenticated requests, because anyone could name an account, and for unsampled refusals. */
export function recordOf(
  call: Call,
  priced: NonNullable<Route['priced']>,
  sample: RefusalSampler,
): RequestRecord | undefined {
  const { identity, admission, startedAt, response } = call;
  if (!identity || !isProved(call)) return undefined;
  const unlisted = admission ? 0 : sample(identity.caller.accountId, startedAt);
  if (unlisted === undefined) return undefined;
  const model = modelOf(call, priced);
  const detail = withoutQuotes(response.refusal?.detail)?.slice(0, maxRecordedDetail);
  return {
    at: startedAt,
    service: call.order?.service ?? priced.service,
    isStream: call.order?.stream ?? false,
    ...(model !== undefined && { model }),
    ...tokensOf(admission?.result),
    ...(detail !== undefined && { detail }),
    headers: headersOf(response.headers),
    ...(unlisted > 0 && { unlisted }),
    ...(response.contentDays !== undefined && { contentDays: response.contentDays }),
  };
}

function isProved({ identity, admission, response: { refusal } }: Call): boolean {
  if (identity?.caller.kind === 'session') return true;
  return admission !== undefined || identity?.meter !== undefined || admissionRefusals.has(refusal?.code);
}

/** Refusals may quote the caller's text. An unterminated quotation extends to the end of the detail. */
const withoutQuotes = (detail?: string): string | undefined =>
  detail?.replaceAll(/"(?:[^"\\]|\\[^])*(?:"|\\?$)/g, '"…"');

const Named = v.object({ model: v.string() });

function modelOf({ order, input }: Call, { capability }: NonNullable<Route['priced']>): string | undefined {
  if (order) return order.model || undefined;
  return capability && v.is(Named, input.body) ? findModel(input.body.model, capability)?.id : undefined;
}

const Used = v.object({ usage: v.object({ prompt_tokens: v.number(), completion_tokens: v.optional(v.number()) }) });

/** Usage of the Responses and Messages APIs. Messages does not include cached tokens in its input. */
const cachedInput = v.nullish(v.number(), 0);
const UsedInput = v.object({
  usage: v.object({
    input_tokens: v.number(),
    output_tokens: v.number(),
    cache_read_input_tokens: cachedInput,
    cache_creation_input_tokens: cachedInput,
  }),
});

/** Token counts as reported in the response. A stream reports the tokens counted so far. */
function tokensOf(result: unknown): Pick<RequestRecord, 'promptTokens' | 'completionTokens'> {
  const source = result instanceof StreamedResponse ? { usage: result.usage } : result;
  if (v.is(Used, source)) {
    const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = source.usage;
    return { promptTokens, ...(completionTokens !== undefined && { completionTokens }) };
  }
  const other = v.safeParse(UsedInput, source);
  if (!other.success) return {};
  const { input_tokens: input, output_tokens: completionTokens, ...cached } = other.output.usage;
  const promptTokens = input + cached.cache_read_input_tokens + cached.cache_creation_input_tokens;
  return { promptTokens, completionTokens };
}

function headersOf(sent: Readonly<Record<string, string>>): RequestRecord['headers'] {
  const headers: RequestRecord['headers'] = {};
  for (const name of recordedHeaders) {
    const value = sent[name];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

/** Refusals recorded per account and minute. Beyond this, records only the refusals that double the count. */
export const fullyRecorded = 20;

/** Returns the number of unrecorded refusals before this one; undefined if it is not recorded. `now` in epoch ms. */
export type RefusalSampler = (accountId: number, now: number) => number | undefined;

/** Counts per process, so that a flood costs few writes (docs/adr/0014-request-logs.md). */
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
