import { jobs } from '#contract/jobs.ts';
import { workSignal } from '#runtime/jobs/work-signal.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export const purgeAgents = () => async (): Promise<void> => {
  const deletions = await (await services().agents()).purgeRest(workSignal(jobs.purgeAgents));
  if (deletions > 0) logger().info('purged the remaining data of agents', { deletions });
};

export const sweepDocuments = () => async (): Promise<void> => {
  const failed = await (await services().agents()).indexingEnds().sweep(workSignal(jobs.sweepDocuments));
  if (failed > 0) logger().info('documents failed', { failed });
};
