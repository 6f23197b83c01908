import * as v from 'valibot';
import { serviceNames } from '../billing/prices.ts';
import { type ErrorCode, errorStatus } from '../shared/errors.ts';
import { isInstant } from '../shared/fields.ts';

/** Days for which the record of a request is kept. */
export const requestRetentionDays = 30;

/** Recorded characters of an error's `detail`, so that a record fits in one write unit. */
export const maxRecordedDetail = 300;

/** Filter pattern of the log subscriptions of priced functions, for the job `record-requests`. */
export const recordPattern = '{ $.record.at > 0 }';

/** Recorded response headers. Append new ones, because items store positions. */
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

/** Recorded data of a priced request in addition to its log line. Contains no part of a prompt or response. */
export const RequestRecord = v.object({
  /** Arrival of the request in epoch ms. */
  at: v.pipe(v.number(), v.safeInteger(), v.check(isInstant)),
  service: v.picklist(serviceNames),
  model: v.exactOptional(short),
  isStream: v.boolean(),
  promptTokens: v.exactOptional(count),
  completionTokens: v.exactOptional(count),
  /** Error code and detail. */
  detail: v.exactOptional(v.pipe(v.string(), v.maxLength(maxRecordedDetail))),
  headers: v.record(v.picklist(recordedHeaders), short),
  /** Immediately preceding errors of the account that are counted but not recorded. */
  unlisted: v.exactOptional(count),
  /** Days for which its prompt and response are stored. */
  contentDays: v.exactOptional(count),
});
export type RequestRecord = v.InferOutput<typeof RequestRecord>;

/** A log line with a record, as the job reads it. `cost` in microcredits. */
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
