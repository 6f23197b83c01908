import { services } from '#runtime/container.ts';
import { orderedChangeJob } from '#runtime/jobs/stream-job.ts';

export const handler = orderedChangeJob(async (change) => (await services().webhooks()).dispatchMessage(change));
