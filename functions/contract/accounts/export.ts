import * as v from 'valibot';
import { text } from '../shared/fields.ts';

/** Kinds of exported items. Each line of the archive has one. */
export const exportKinds = [
  'account',
  'credits',
  'former_email',
  'session',
  'device',
  'passkey',
  'organization',
  'key',
  'email',
  'ledger_entry',
  'request',
  'request_content',
  'operator_action',
  'webhook',
  'agent',
  'document',
  'document_text',
  'conversation',
  'conversation_message',
  'stored_response',
  'message',
  'upload',
  'transcription',
  'payment',
  'billing_profile',
] as const;
export type ExportKind = (typeof exportKinds)[number];

/** `cursor` is the `nextCursor` of the previous page. */
export const ExportQuery = v.object({
  cursor: v.optional(v.pipe(text(2000), v.regex(/^[\w-]+$/, 'must be the nextCursor of the previous page'))),
});

/** A part of everything that is stored about the account, without secrets. A page may be empty before the last one. */
export const ExportPage = v.object({
  items: v.array(v.object({ kind: v.picklist(exportKinds), data: v.record(v.string(), v.unknown()) })),
  nextCursor: v.nullable(v.string()),
});
export type ExportItem = v.InferOutput<typeof ExportPage>['items'][number];
