import { jobs } from '#contract/jobs.ts';
import { accountOf, projectImage, projectImages, sweepJob } from '#runtime/jobs/billing.ts';
import { imageRetryJob } from '#runtime/jobs/queue-job.ts';
import { itemStreamJob } from '#runtime/jobs/stream-job.ts';
import { workSignal } from '#runtime/jobs/work-signal.ts';
import { services } from '#runtime/services/container.ts';
import { logger, recordSweep } from '#runtime/telemetry.ts';

export const archiveLedger = () => async (): Promise<void> => {
  const { ledgerArchiver, clock } = services();
  const parts = await (await ledgerArchiver()).run(clock.now(), workSignal(jobs.archiveLedger));
  if (parts > 0) logger().info('archived', { parts });
};

/** The failure of one account does not delay the others (docs/adr/0011-typed-jobs.md). */
export const projectLedger = () =>
  itemStreamJob(projectImage, () => services().ledgerRetry(), {
    handleAll: projectImages,
    groupBy: accountOf,
    concurrency: 100,
  });

export const releaseHolds = () => sweepJob('holds', jobs.releaseHolds);

export const renewAccounts = () => sweepJob('renewals', jobs.renewAccounts);

export const retryLedger = () => imageRetryJob(projectImage);

export const sweepMeters = () => async (): Promise<void> => {
  const { metering, clock, sweepQueues } = services();
  const { lateSeconds, messages } = await metering().dispatch(clock.now(), async (kind, message) => {
    await (await sweepQueues[kind]()).send(message);
  });
  recordSweep(lateSeconds);
  if (messages > 0) logger().info('queued', { messages });
};
