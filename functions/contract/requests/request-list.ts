import * as v from 'valibot';
import { serviceNames } from '../billing/prices.ts';
import { recordedHeaders } from '../platform/request-record.ts';
import { day, instant, pageSize, text, whole } from '../shared/fields.ts';

/**
 * Days are in UTC and inclusive. Default: everything that is kept. `cursor` is the `nextCursor` of the previous page.
 * `status` is a status code or a class of codes.
 */
export const RequestQuery = v.object({
  from: v.optional(day),
  to: v.optional(day),
  status: v.optional(
    v.pipe(v.string(), v.regex(/^(?:[2-5]xx|[2-5]\d\d)$/, 'must be a status such as 429, or 2xx, 3xx, 4xx or 5xx')),
  ),
  service: v.optional(v.picklist(serviceNames, 'must be the name of a service')),
  model: v.optional(text(128)),
  keyId: v.optional(text(128)),
  cursor: v.optional(
    v.pipe(text(160), v.regex(/^\d{4}-[\dT:.-]{18}Z#\w+$/, 'must be the nextCursor of the previous page')),
  ),
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
});

/** Newest first. A page may have fewer than `limit` requests even if another one follows. */
export const RequestList = v.object({ requests: v.array(RequestEntry), nextCursor: v.nullable(v.string()) });
