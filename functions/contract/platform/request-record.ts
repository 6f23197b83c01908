import * as v from 'valibot';
import { serviceNames } from '../billing/prices.ts';
import { type ErrorCode, errorStatus } from '../shared/errors.ts';
import { isInstant } from '../shared/fields.ts';

/** Days that the record of a request is kept. */
export const requestRetentionDays = 30;

/** Characters of a refusal's `detail` that are recorded, so that a record stays within one write unit. */
export const maxRecordedDetail = 300;

/** Which log lines of priced functions the job `record-requests` gets: the filter pattern of its subscriptions. */
export const recordPattern = '{ $.record.at > 0 }';

/** Response headers that are recorded, as they were sent. New ones at the end: items store positions. */
export const recordedHeaders = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-credits-held',
  'x-credits-charged',
  'x-credits-remaining',
  'Retry-After',
  'Idempotent-Replayed',
  'x-original-request-id',
] as const;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const short = v.pipe(v.string(), v.maxLength(128));
const code = v.custom<ErrorCode>((value) => typeof value === 'string' && Object.hasOwn(errorStatus, value));

/** What is recorded of a priced request beside its log line: no part of a prompt or a response. */
export const RequestRecord = v.object({
  /** Epoch ms at which the request came. */
  at: v.pipe(v.number(), v.safeInteger(), v.check(isInstant)),
  service: v.picklist(serviceNames),
  model: v.exactOptional(short),
  isStream: v.boolean(),
  promptTokens: v.exactOptional(count),
  completionTokens: v.exactOptional(count),
  /** Why it was refused or failed. */
  detail: v.exactOptional(v.pipe(v.string(), v.maxLength(maxRecordedDetail))),
  headers: v.record(v.picklist(recordedHeaders), short),
  /** Refusals of the account just before this one that are counted and not recorded. */
  unlisted: v.exactOptional(count),
});
export type RequestRecord = v.InferOutput<typeof RequestRecord>;

/** A log line that has a record, as the job reads it. `cost` in microcredits. */
export const RecordedLine = v.object({
  requestId: short,
  route: v.exactOptional(short),
  status: v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(599)),
  code: v.exactOptional(code),
  accountId: v.number(),
  keyId: v.exactOptional(short),
  latency: v.pipe(v.number(), v.minValue(0)),
  firstByte: v.exactOptional(v.pipe(v.number(), v.minValue(0))),
  cost: count,
  record: RequestRecord,
});
export type RecordedLine = v.InferOutput<typeof RecordedLine>;
