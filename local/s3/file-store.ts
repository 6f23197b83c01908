import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import { dayMs } from '#contract/shared/time.ts';
import { readJsonFile, writeJsonFile } from '../shared/data-folder.ts';

/** `days`: until it is deleted, if that is not the bucket's rule. */
const Meta = v.object({
  key: v.string(),
  contentType: v.string(),
  bytes: v.number(),
  etag: v.string(),
  days: v.exactOptional(v.number()),
});

/** `path` is the file with the object's bytes. */
export type StoredObject = v.InferOutput<typeof Meta> & { readonly path: string };

export interface Draft {
  readonly path: string;
  readonly bytes: number;
  readonly md5: string;
}

export class TooLarge extends Error {}

export class DiskFull extends Error {}

export type FileStore = ReturnType<typeof openFileStore>;

/**
 * Bytes that stay free on the disk, and how often the free space is checked again, because other processes write too.
 */
const reserveBytes = 512 * 1024 * 1024;
const recheckBytes = 8 * 1024 * 1024;

/** Days until objects are deleted, like the bucket's lifecycle rules. */
const retentionDays = { texts: 31, other: 2 } as const;

export interface FileStoreOptions {
  readonly now?: () => number;
  readonly reserve?: number;
  /** Objects that are kept, newest first. Default: all. */
  readonly maxObjects?: number;
}

/** Writes after which surplus objects are deleted. */
const writesPerTrim = 100;

/** The objects of a bucket: one file each, with its metadata next to it. Creates nothing before the first write. */
export function openFileStore(
  folder: string,
  { now = Date.now, reserve = reserveBytes, maxObjects }: FileStoreOptions = {},
) {
  let writes = 0;

  async function requireFreeSpace(): Promise<void> {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < reserve) throw new DiskFull('the disk is full');
  }

  const nameOf = (key: string) => createHash('sha256').update(key).digest('hex');
  const paths = (key: string) => ({ path: join(folder, nameOf(key)), meta: join(folder, `${nameOf(key)}.json`) });

  async function draft(pieces: AsyncIterable<Uint8Array>, max: number): Promise<Draft> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await requireFreeSpace();
    const path = join(folder, `${randomUUID()}.draft`);
    const hash = createHash('md5');
    let bytes = 0;
    let nextCheck = recheckBytes;
    const count = new Transform({
      transform(piece: Buffer, _encoding, done) {
        bytes += piece.length;
        hash.update(piece);
        if (bytes > max) return done(new TooLarge(`more than ${max} bytes came`));
        if (bytes < nextCheck) return done(null, piece);
        nextCheck = bytes + recheckBytes;
        requireFreeSpace().then(() => done(null, piece), done);
      },
    });
    try {
      await pipeline(pieces, count, createWriteStream(path, { mode: 0o600 }));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    return { path, bytes, md5: hash.digest('hex') };
  }

  async function keep(
    key: string,
    contentType: string,
    { path: from, bytes, md5 }: Draft,
    days?: number,
  ): Promise<StoredObject> {
    const { path, meta } = paths(key);
    const stored = { key, contentType, bytes, etag: `"${md5}"`, ...(days !== undefined && { days }) };
    const at = new Date(now());
    await utimes(from, at, at);
    await rename(from, path);
    await writeJsonFile(meta, stored);
    writes += 1;
    if (maxObjects !== undefined && writes % writesPerTrim === 0) await trim(maxObjects);
    return { ...stored, path };
  }

  async function find(key: string): Promise<StoredObject | undefined> {
    const { path, meta } = paths(key);
    const stored = await readJsonFile(meta, Meta);
    return stored && { ...stored, path };
  }

  async function remove(key: string): Promise<void> {
    const { path, meta } = paths(key);
    await Promise.all([rm(meta, { force: true }), rm(path, { force: true })]);
  }

  async function expire(): Promise<void> {
    for (const name of await readdir(folder).catch((): string[] => [])) {
      const path = join(folder, name);
      const current = name.endsWith('.draft') ? Date.now() : now();
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: current }));
      const found = await readJsonFile(join(folder, `${name}.json`), Meta).catch(() => undefined);
      const days = found?.days ?? retentionDays[found?.key.startsWith('texts/') ? 'texts' : 'other'];
      if (name.endsWith('.json') || current - mtimeMs < days * dayMs) continue;
      await Promise.all([rm(path, { force: true }), rm(`${path}.json`, { force: true })]);
    }
  }

  const names = async (): Promise<string[]> =>
    (await readdir(folder).catch((): string[] => [])).filter((name) => name.endsWith('.json'));

  async function trim(max: number): Promise<void> {
    const metas = (await names()).map(async (name) => {
      const path = join(folder, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
      return { path, mtimeMs };
    });
    const newest = (await Promise.all(metas)).toSorted((one, other) => other.mtimeMs - one.mtimeMs);
    for (const { path } of newest.slice(max))
      await Promise.all([rm(path, { force: true }), rm(path.slice(0, -'.json'.length), { force: true })]);
  }

  /** Sorted keys with a prefix, after a key. */
  async function keysWith(prefix: string, after: string): Promise<string[]> {
    const metas = (await names()).map((name) => readJsonFile(join(folder, name), Meta).catch(() => undefined));
    const keys = (await Promise.all(metas)).flatMap((meta) => meta?.key ?? []);
    return keys.filter((key) => key.startsWith(prefix) && key > after).toSorted();
  }

  /** `to` is exclusive. */
  const bytesOf = ({ path }: Pick<StoredObject, 'path'>, from: number, to: number): AsyncIterable<Uint8Array> =>
    to > from ? createReadStream(path, { start: from, end: to - 1 }) : nothing();

  return {
    draft,
    keep,
    find,
    remove,
    expire,
    keysWith,
    bytesOf,
    discard: (path: string) => rm(path, { force: true }),
    size: async () => (await names()).length,
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

export async function* concatenated(
  store: Pick<FileStore, 'bytesOf'>,
  drafts: readonly Pick<Draft, 'path' | 'bytes'>[],
): AsyncGenerator<Uint8Array> {
  for (const draft of drafts) yield* store.bytesOf(draft, 0, draft.bytes);
}
