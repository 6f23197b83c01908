import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { Problem, systemCode } from './problems.ts';

/** Undefined if the file does not exist. Throws a Problem that names the file if its content is invalid. */
export async function readJsonFile<Schema extends v.GenericSchema>(
  file: string,
  schema: Schema,
): Promise<v.InferOutput<Schema> | undefined> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
  if (read.success) return read.output;
  throw new Problem(`The file ${file} is damaged. Remove it, or choose another data folder with --data DIR.`);
}

/** Replaces the whole file, like `replaceFile`. */
export async function writeJsonFile(file: string, value: unknown): Promise<void> {
  await replaceFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Replaces the whole file atomically: readers see the old or the new content, even after kill -9. Only the owner can
 * read it. With `flush`, the new content is on disk before the old one is replaced.
 */
export async function replaceFile(file: string, text: string, { flush = false } = {}): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, text, { mode: 0o600, flush });
  await rename(temporary, file);
}

/** Unfinished work, one file each, which a later process continues after a crash. */
export interface Pending<Work extends object> {
  /** Resolves with its name once it is on disk. */
  add(work: Work): Promise<string>;
  remove(name: string): Promise<void>;
  /** In the order in which they were added. */
  left(): Promise<{ readonly name: string; readonly work: Work }[]>;
}

export function openPending<Work extends object>(
  folder: string,
  schema: v.GenericSchema<unknown, Work>,
): Pending<Work> {
  const fileOf = (name: string) => join(folder, `${name}.json`);
  return {
    async add(work) {
      const name = `${String(Date.now()).padStart(15, '0')}-${randomUUID()}`;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeJsonFile(fileOf(name), work);
      return name;
    },
    remove: (name) => rm(fileOf(name), { force: true }),
    async left() {
      const files = await readdir(folder).catch((): string[] => []);
      const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
      const read = names.toSorted().map(async (name) => ({ name, work: await readJsonFile(fileOf(name), schema) }));
      return (await Promise.all(read)).flatMap(({ name, work }) => (work === undefined ? [] : [{ name, work }]));
    },
  };
}
