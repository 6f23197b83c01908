import { randomUUID } from 'node:crypto';
import type { Job } from '#contract/jobs.ts';
import { jobHandler } from '../gateway/handlers.ts';
import { lambdaContext, withinTime } from '../gateway/lambda-runtime.ts';

/** One run of a job, as Lambda would do it; rejects when it fails or takes too long. */
export function runJob(job: Job, event: unknown): Promise<unknown> {
  return withinTime(job, async () => {
    const handler = await jobHandler(job);
    return handler(event, lambdaContext(job, randomUUID()));
  });
}
