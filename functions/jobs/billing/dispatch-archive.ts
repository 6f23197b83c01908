import { jobs } from '#contract/jobs.ts';
import { workSignal } from '#runtime/jobs/work-time.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/shared/telemetry.ts';

export async function handler(): Promise<void> {
  const { ledgerArchiver, archiveQueue, clock } = services();
  const [archiver, queue] = await Promise.all([ledgerArchiver(), archiveQueue()]);
  const queued = await archiver.dispatch(
    clock.now(),
    (accountId) => queue.send({ accountId }),
    workSignal(jobs.dispatchArchive),
  );
  if (queued > 0) logger().info('accounts queued to be archived', { queued });
}
