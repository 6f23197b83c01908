import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { readJsonFile, writeJsonFile } from './files/json-file.ts';

/** Work that is not done, each a file: what a process leaves that is killed is there for the next one. */
export interface Pending<Work extends object> {
  /** Resolves once it is in its file, with its name. */
  add(work: Work): Promise<string>;
  remove(name: string): Promise<void>;
  /** In their order. */
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
