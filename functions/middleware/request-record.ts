import * as v from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { findModel } from '#contract/inference/models.ts';
import { maxRecordedDetail, type RequestRecord, recordedHeaders } from '#contract/platform/request-record.ts';
import type { ErrorCode } from '#contract/shared/errors.ts';
import { StreamedResponse } from '#domain/inference/streams/streamed-response.ts';
import type { Call } from './call.ts';
import type { RefusalSampler } from './request/refusal-sampler.ts';

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
