import * as v from 'valibot';
import { jobs } from '#contract/jobs.ts';
import { queueJob } from '#runtime/jobs/queue-job.ts';
import { workSignal } from '#runtime/jobs/work-time.ts';
import { services } from '#runtime/services/container.ts';

const Message = v.object({ accountId: v.number() });

/** An account that needs more than a run is queued again. */
export const handler = queueJob(async (message) => {
  const { accountId } = v.parse(Message, message);
  const { ledgerArchiver, archiveQueue, clock } = services();
  const isDone = await (await ledgerArchiver()).archive(accountId, clock.now(), workSignal(jobs.archiveLedger));
  if (!isDone) await (await archiveQueue()).send({ accountId });
});
