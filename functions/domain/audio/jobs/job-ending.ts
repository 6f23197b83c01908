import type { LedgerEntry } from '../../meter/meter.ts';
import type { Metering } from '../../meter/metering.ts';
import { secondPrice } from '../../meter/pricing.ts';
import { refunds, type RefundWrite, type WrittenRefund } from '../../meter/refunds.ts';
import type { Clock } from '../../shared/ports.ts';
import type { Ending, Job } from './job.ts';
import type { JobStore } from './ports.ts';

export type JobEnding = ReturnType<typeof jobEnding>;

export interface EndingParts {
  readonly jobs: Pick<JobStore, 'end' | 'endAndRemove'>;
  readonly metering: Pick<Metering, 'change'>;
  readonly clock: Clock;
}

/**
 * Ends a job once: its status and what comes back to its account are one write, on condition that the job is open. An event that comes again, late
 * or for a job that was deleted finds it ended, and changes nothing.
 */
export function jobEnding({ jobs, metering, clock }: EndingParts) {
  const giveBack = refunds(metering, clock);

  async function settle(
    { accountId, charge }: Job,
    cost: number,
    write: (change: RefundWrite) => Promise<WrittenRefund>,
    job?: LedgerEntry['job'],
  ): Promise<boolean> {
    const back = { amount: charge.amount - cost, ...(job && { job }) };
    return (await giveBack(accountId, charge, back, write)) === 'done';
  }

  /** False where it had ended before. */
  function end(job: Job, ending: Ending): Promise<boolean> {
    const { status } = ending;
    const cost = ending.status === 'completed' ? costOf(job, ending.durationSeconds) : 0;
    const { durationSeconds, language } = ending.status === 'completed' ? ending : {};
    const after: Job = {
      ...job,
      status,
      cost,
      updatedAt: clock.now(),
      ...(durationSeconds !== undefined && { durationSeconds }),
      ...(language !== undefined && { language }),
    };
    const note = { id: job.id, status, cost, ...(durationSeconds !== undefined && { durationSeconds }) };
    return settle(job, cost, (change) => jobs.end(after, change), note);
  }

  /** Of one that its owner deletes. */
  function endAndRemove(job: Job): Promise<boolean> {
    return settle(job, costOf(job, job.seconds), (change) => jobs.endAndRemove(job, change));
  }

  return { end, endAndRemove };
}

const costOf = ({ charge }: Job, seconds: number): number =>
  Math.min(charge.amount, secondPrice('transcription', seconds));
