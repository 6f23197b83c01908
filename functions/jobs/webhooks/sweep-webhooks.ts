import { jobs } from '#contract/jobs.ts';
import { workSignal } from '#runtime/jobs/queue-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export async function handler(): Promise<void> {
  const woken = await (await services().webhooks()).wakeAll(workSignal(jobs.sweepWebhooks));
  if (woken > 0) logger().info('woken', { webhooks: woken });
}
