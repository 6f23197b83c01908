import { orderedChangeJob } from '#runtime/jobs/stream-job.ts';
import { services } from '#runtime/services/container.ts';

export const handler = orderedChangeJob(async (change) => (await services().webhooks()).dispatchMessage(change));
