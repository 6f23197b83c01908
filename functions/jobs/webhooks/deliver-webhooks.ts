import { deliverJob } from '#runtime/jobs/deliver-job.ts';

export const handler = deliverJob('normal');
