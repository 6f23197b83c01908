import * as v from 'valibot';
import { instant, text, whole } from '../shared/fields.ts';
import { limits } from '../shared/limits.ts';
import { AgentPath, page } from './agents.ts';

/** Control characters other than tabs, line breaks and page breaks, which indicate a binary file. */
const control = /[^\P{Cc}\t\n\v\f\r\x85]/u;

/** UTF-8 bytes rather than characters, as for storage and embedding. */
const documentText = v.pipe(
  v.string('must be a string'),
  v.check((value) => value.isWellFormed(), 'must be well-formed Unicode'),
  v.check((value) => /\S/.test(value), 'must not be empty'),
  v.check((value) => !control.test(value), 'must be text, without control characters'),
  v.check(
    (value) => value.length <= limits.documentBytes && new TextEncoder().encode(value).length <= limits.documentBytes,
    `must have at most ${limits.documentBytes} bytes as UTF-8`,
  ),
  v.metadata({ minLength: 1, maxLength: limits.documentBytes }),
);

export const NewDocument = v.object({ name: text(200), text: documentText }, 'must be a JSON object');
export type NewDocument = v.InferOutput<typeof NewDocument>;

export const DocumentPath = v.object({ ...AgentPath.entries, documentId: text(64) });
export const DocumentQuery = v.object(page('doc'));

export const documentStatuses = ['indexing', 'ready', 'failed'] as const;

export const AgentDocument = v.object({
  id: v.string(),
  name: v.string(),
  status: v.pipe(
    v.picklist(documentStatuses),
    v.description('`ready`: the document can be searched. `failed`: it could not be indexed, and was not charged.'),
  ),
  bytes: whole,
  chunks: whole,
  indexedChunks: v.pipe(whole, v.description('Chunks that are embedded and stored so far.')),
  createdAt: instant,
  credits: v.pipe(v.number(), v.description('Credits reserved while it is indexed, then its price; 0 if it failed.')),
  usage: v.pipe(
    v.object({ prompt_tokens: whole, total_tokens: whole }),
    v.description('Tokens that are embedded so far.'),
  ),
});

/** Newest first. */
export const DocumentList = v.object({ items: v.array(AgentDocument), nextCursor: v.nullable(v.string()) });
