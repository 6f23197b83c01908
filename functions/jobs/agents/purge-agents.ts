import { jobs } from '#contract/jobs.ts';
import { workSignal } from '#runtime/jobs/queue-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export async function handler(): Promise<void> {
  const deletions = await (await services().agents()).purgeRest(workSignal(jobs.purgeAgents));
  if (deletions > 0) logger().info('purged what was left of agents', { deletions });
}
