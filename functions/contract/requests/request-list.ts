import * as v from 'valibot';
import { serviceNames } from '../billing/prices.ts';
import { recordedHeaders } from '../platform/request-record.ts';
import { day, instant, pageSize, text, whole } from '../shared/fields.ts';

/**
 * Days are UTC, both inclusive; by default all that is kept. `cursor` is the `nextCursor` of the page before. `status` is a
 * status or a class of them.
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
    v.pipe(text(160), v.regex(/^\d{4}-[\dT:.-]{18}Z#\w+$/, 'must be the nextCursor of the page before')),
  ),
  limit: v.optional(pageSize, '50'),
});

/**
 * A request. `route` is the operationId of the API document, null of a record that is older than the field; `message` is what its
 * envelope had; `credits` exact to the millionth; times in milliseconds, `firstByteMs` of streams only.
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
  /** Of the response, as they were sent. */
  headers: v.object(v.entriesFromList(['x-request-id', ...recordedHeaders], v.exactOptional(v.string()))),
  unlisted: whole,
});

/** Newest first; a page may have fewer than `limit`, and still another after it. */
export const RequestList = v.object({ requests: v.array(RequestEntry), nextCursor: v.nullable(v.string()) });
