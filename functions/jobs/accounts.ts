import { jobs } from '#contract/jobs.ts';
import { sendRequestedReset } from '#runtime/jobs/mail.ts';
import { itemStreamJob } from '#runtime/jobs/stream-job.ts';
import { workSignal } from '#runtime/jobs/work-signal.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export const purgeAccounts = () => async (): Promise<void> => {
  const signal = workSignal(jobs.purgeAccounts);
  try {
    await purge(signal);
  } finally {
    await updateDirectory(signal);
  }
};

async function purge(signal: AbortSignal): Promise<void> {
  const accounts = await services().profile().purge(signal);
  if (accounts > 0) logger().info('purged', { accounts });
}

/** Part of this job, because a job of its own would cost two alarms (docs/adr/0043-list-of-accounts.md). */
async function updateDirectory(signal: AbortSignal): Promise<void> {
  const { accounts, written, isDone } = await (await services().operators()).directory().update(signal);
  if (written > 0 || !isDone) logger().info('updated the list of accounts', { accounts, written, isDone });
}

export const sendResetLink = () =>
  itemStreamJob(sendRequestedReset, () => services().mailRetry(), {
    concurrency: 1,
    retryAttributes: ['resetRequest'],
  });
