import * as v from 'valibot';
import { instant, integer, whole } from '../shared/fields.ts';

/** Maximum days for which prompts and responses are stored. */
export const maxContentDays = 30;

/** UTF-8 bytes that are stored of a request, and of a response. */
export const maxContentBytes = 256 * 1024;

export const ContentSetting = v.object(
  {
    days: v.pipe(
      v.nullable(integer(1, maxContentDays)),
      v.description('Days for which the prompts and responses of later calls are stored; null to store none.'),
    ),
  },
  'must be a JSON object',
);

const id = v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/, 'must be an id'));
export const KeyContentPath = v.object({ id });
export const ContentPath = v.object({ ...KeyContentPath.entries, requestId: id });

/**
 * `bytes` of the whole body. `text` is null for binary bodies and embeddings, and has no more than the first 256 KB.
 */
const Body = v.object({
  contentType: v.string(),
  bytes: v.pipe(v.nullable(whole), v.description('Of the whole body; null if unknown.')),
  text: v.pipe(v.nullable(v.string()), v.description('At most 256 KB; null for audio and embeddings.')),
  isTruncated: v.boolean(),
});
export type ContentBody = v.InferOutput<typeof Body>;

/** The prompt and the response of a request. `response` of a stream is assembled from its events. */
export const StoredContent = v.object({
  requestId: v.string(),
  at: instant,
  expiresAt: instant,
  isStream: v.boolean(),
  request: Body,
  response: Body,
});

export const ContentDeletion = v.object({
  deleted: whole,
  isDone: v.pipe(v.boolean(), v.description('False if more are left: repeat the request.')),
});
