import * as v from 'valibot';
import { serviceNames } from '../billing/prices.ts';
import { recordedHeaders } from '../platform/request-record.ts';
import { day, instant, pageSize, text, timestamp, whole } from '../shared/fields.ts';

const dayOrTime = v.union([day, timestamp], 'must be a date such as 2027-01-31 or an ISO 8601 timestamp');

/**
 * `from` and `to` are inclusive UTC days or times. Default: everything that is kept. `cursor` is the `nextCursor` of
 * the previous page. `status` is a status code or a class of codes. `error` is a part of the error code or detail, in
 * any case.
 */
export const RequestQuery = v.object({
  from: v.optional(dayOrTime),
  to: v.optional(dayOrTime),
  requestId: v.optional(v.pipe(text(64), v.regex(/^\w+$/, 'must be the id of a request'))),
  error: v.optional(text(100)),
  status: v.optional(
    v.pipe(v.string(), v.regex(/^(?:[2-5]xx|[2-5]\d\d)$/, 'must be a status such as 429, or 2xx, 3xx, 4xx or 5xx')),
  ),
  service: v.optional(v.picklist(serviceNames, 'must be the name of a service')),
  model: v.optional(text(128)),
  keyId: v.optional(text(128)),
  cursor: v.optional(v.pipe(text(256), v.regex(/^[\w-]+$/, 'must be the nextCursor of the previous page'))),
  limit: v.optional(pageSize, '50'),
});

/**
 * A request. `route` is the operationId of the API document, or null in records older than the field. `message` is that
 * of the envelope. `credits` have six decimals. Times are in ms; only streams have `firstByteMs`.
 */
const RequestEntry = v.object({
  requestId: v.string(),
  at: instant,
  route: v.nullable(v.string()),
  status: whole,
  message: v.string(),
  detail: v.nullable(v.string()),
  service: v.string(),
  model: v.nullable(v.string()),
  keyId: v.nullable(v.string()),
  keyName: v.nullable(v.string()),
  isStream: v.boolean(),
  promptTokens: v.nullable(whole),
  completionTokens: v.nullable(whole),
  latencyMs: v.number(),
  firstByteMs: v.nullable(v.number()),
  credits: v.number(),
  /** Response headers as sent. */
  headers: v.object(v.entriesFromList(['x-request-id', ...recordedHeaders], v.exactOptional(v.string()))),
  unlisted: whole,
  contentExpiresAt: v.pipe(
    v.nullable(instant),
    v.description(
      'Time until which its prompt and response are stored, unless they were deleted; null if they are not.',
    ),
  ),
});

/**
 * Newest first. A page reads a limited number of records, so it may have fewer than `limit` requests, or none, even if
 * another one follows.
 */
export const RequestList = v.object({
  requests: v.array(RequestEntry),
  nextCursor: v.nullable(v.string()),
  searchedTo: v.optional(
    v.pipe(instant, v.description('Present if another page follows: all later requests have been searched.')),
  ),
});
