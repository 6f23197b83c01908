import { allJobs } from '#contract/jobs.ts';
import { queues, visibilityTimeoutSeconds } from '#contract/platform/resources.ts';
import { type LocalQueue, openQueueStore, type QueueStore } from './queue-store.ts';

/** The queues that jobs take from, as CDK would make them. */
const localQueues: readonly LocalQueue[] = allJobs.flatMap((job) =>
  'queue' in job.trigger
    ? [{ ...queues[job.trigger.queue], visibilityTimeoutSeconds: visibilityTimeoutSeconds(job) }]
    : [],
);

export const openQueues = (file: string, now: () => number): QueueStore => openQueueStore(file, localQueues, now);
