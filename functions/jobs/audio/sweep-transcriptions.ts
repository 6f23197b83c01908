import { jobs } from '#contract/jobs.ts';
import { workSignal } from '#runtime/jobs/queue-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export async function handler(): Promise<void> {
  const ended = await (await services().audioJobs()).events().sweep(workSignal(jobs.sweepTranscriptions));
  if (ended > 0) logger().info('transcriptions ended', { ended });
}
