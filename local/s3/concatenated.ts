import type { Draft, FileStore } from './file-store.ts';

/** The bytes of files that follow each other. */
export async function* concatenated(
  store: Pick<FileStore, 'bytesOf'>,
  drafts: readonly Pick<Draft, 'path' | 'bytes'>[],
): AsyncGenerator<Uint8Array> {
  for (const draft of drafts) yield* store.bytesOf(draft, 0, draft.bytes);
}
