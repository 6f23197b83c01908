import * as v from 'valibot';
import { handlerFile, jobFile } from '#contract/handlers.ts';
import type { Job } from '#contract/jobs.ts';
import type { LambdaHandler } from './lambda-runtime.ts';

const HandlerModule = v.object({
  handler: v.custom<LambdaHandler>((value) => typeof value === 'function', 'must export a function named handler'),
});

/** The handler of a route; its module is loaded at the first call. Rejects when there is none or it does not load. */
export async function apiHandler(id: string): Promise<LambdaHandler> {
  return v.parse(HandlerModule, await import(/* @vite-ignore */ `#api/${handlerFile(id)}`)).handler;
}

/** The handler of a job. */
export async function jobHandler(job: Pick<Job, 'id' | 'feature'>): Promise<LambdaHandler> {
  return v.parse(HandlerModule, await import(/* @vite-ignore */ `#jobs/${jobFile(job)}`)).handler;
}
