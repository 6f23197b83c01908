import { jobs } from '#contract/jobs.ts';
import { sweepJob } from '#runtime/jobs/sweep-job.ts';

export const handler = sweepJob('renewals', jobs.renewAccounts);
