import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { readJsonFile, writeJsonFile } from '../shared/json-file.ts';

const AsyncJob = v.object({
  id: v.string(),
  inferenceId: v.string(),
  /** Of the payload, and its key in the bucket. */
  inputLocation: v.string(),
  key: v.string(),
  contentType: v.string(),
  endpoint: v.string(),
});
export type AsyncJob = v.InferOutput<typeof AsyncJob>;

/** Jobs that have not ended, each a file: those of a process that was killed are there for the next one. */
export function openAsyncQueue(folder: string) {
  const fileOf = (id: string) => join(folder, `${id}.json`);
  return {
    async add(given: Omit<AsyncJob, 'id'>): Promise<AsyncJob> {
      const job = { id: `${String(Date.now()).padStart(15, '0')}-${randomUUID()}`, ...given };
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeJsonFile(fileOf(job.id), job);
      return job;
    },
    remove: (id: string) => rm(fileOf(id), { force: true }),
    /** In their order. */
    async left(): Promise<AsyncJob[]> {
      const names = await readdir(folder).catch((): string[] => []);
      const files = names.filter((name) => name.endsWith('.json')).toSorted();
      const jobs = await Promise.all(files.map((name) => readJsonFile(join(folder, name), AsyncJob)));
      return jobs.filter((job) => job !== undefined);
    },
  };
}

export type AsyncQueue = ReturnType<typeof openAsyncQueue>;
