import { jobs } from '#contract/jobs.ts';
import { workSignal } from '#runtime/jobs/queue-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export async function handler(): Promise<void> {
  const { ledgerArchiver, clock } = services();
  const parts = await (await ledgerArchiver()).run(clock.now(), workSignal(jobs.archiveLedger));
  if (parts > 0) logger().info('archived', { parts });
}
