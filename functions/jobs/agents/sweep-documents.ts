import { jobs } from '#contract/jobs.ts';
import { workSignal } from '#runtime/jobs/queue-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export async function handler(): Promise<void> {
  const failed = await (await services().agents()).indexingEnds().sweep(workSignal(jobs.sweepDocuments));
  if (failed > 0) logger().info('documents failed', { failed });
}
