import { jobs } from '#contract/jobs.ts';
import { workSignal } from '#runtime/jobs/queue-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export const updateDirectory = () => async (): Promise<void> => {
  const directory = (await services().operators()).directory();
  const { accounts, written, isDone } = await directory.update(workSignal(jobs.updateDirectory));
  if (written > 0 || !isDone) logger().info('updated the list of accounts', { accounts, written, isDone });
};
