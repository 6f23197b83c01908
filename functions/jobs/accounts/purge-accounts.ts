import { jobs } from '#contract/jobs.ts';
import { workSignal } from '#runtime/jobs/queue-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export async function handler(): Promise<void> {
  const accounts = await services().profile().purge(workSignal(jobs.purgeAccounts));
  if (accounts > 0) logger().info('purged', { accounts });
}
