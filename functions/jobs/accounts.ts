import { jobs } from '#contract/jobs.ts';
import { sendRequestedReset } from '#runtime/jobs/mail.ts';
import { workSignal } from '#runtime/jobs/queue-job.ts';
import { itemStreamJob } from '#runtime/jobs/stream-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export const purgeAccounts = () => async (): Promise<void> => {
  const accounts = await services().profile().purge(workSignal(jobs.purgeAccounts));
  if (accounts > 0) logger().info('purged', { accounts });
};

export const sendResetLink = () =>
  itemStreamJob(sendRequestedReset, () => services().mailRetry(), {
    concurrency: 1,
    retryAttributes: ['resetRequest'],
  });
