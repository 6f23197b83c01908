import { randomUUID } from 'node:crypto';
import { concatenated } from './concatenated.ts';
import type { Draft, FileStore, StoredObject } from './file-store.ts';
import { S3Error } from './s3-error.ts';

/** Of all parts but the last. */
const minPartBytes = 5 * 1024 * 1024;

/** Uploads in parts that are under way; those that are never completed go with the process. */
export function multipartUploads(store: FileStore) {
  const uploads = new Map<string, { contentType: string; parts: Map<number, Draft> }>();

  function upload(id: string) {
    const found = uploads.get(id);
    if (found) return found;
    throw new S3Error(404, 'NoSuchUpload', 'The specified multipart upload does not exist.');
  }

  return {
    begin(contentType: string): string {
      const id = randomUUID();
      uploads.set(id, { contentType, parts: new Map() });
      return id;
    },
    async put(id: string, number: number, pieces: AsyncIterable<Uint8Array>, max: number): Promise<string> {
      const { parts } = upload(id);
      const draft = await store.draft(pieces, max);
      parts.set(number, draft);
      return `"${draft.md5}"`;
    },
    async complete(id: string, key: string): Promise<StoredObject> {
      const { contentType, parts } = upload(id);
      const ordered = [...parts].toSorted(([one], [other]) => one - other).map(([, draft]) => draft);
      if (ordered.slice(0, -1).some(({ bytes }) => bytes < minPartBytes))
        throw new S3Error(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size');
      const whole = await store.draft(concatenated(store, ordered), Number.POSITIVE_INFINITY);
      await drop(id);
      return store.keep(key, contentType, whole);
    },
    drop,
  };

  async function drop(id: string): Promise<void> {
    const { parts } = upload(id);
    uploads.delete(id);
    await Promise.all(parts.values().map(({ path }) => store.discard(path)));
  }
}
