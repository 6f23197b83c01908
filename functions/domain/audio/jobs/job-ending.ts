import { giveBack } from '../../meter/job-refund.ts';
import type { LedgerEntry, Meter } from '../../meter/meter.ts';
import type { Metering } from '../../meter/metering.ts';
import { secondPrice } from '../../meter/pricing.ts';
import type { Clock } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import { transcriptionModel } from '../transcription.ts';
import { type Ending, isOpen, type Job } from './job.ts';
import type { JobStore, MeterChangeWrite } from './ports.ts';

export type JobEnding = ReturnType<typeof jobEnding>;

export interface EndingParts {
  readonly jobs: Pick<JobStore, 'find' | 'end' | 'endAndRemove'>;
  readonly metering: Pick<Metering, 'change'>;
  readonly clock: Clock;
}

/** Thrown to leave a change of the meter alone: another has ended the job. */
class Ended extends Error {}

/**
 * Ends a job once: its status and what comes back to its account are one write, on condition that the job is open. An event that comes again, late
 * or for a job that was deleted finds it ended, and changes nothing.
 */
export function jobEnding({ jobs, metering, clock }: EndingParts) {
  async function settle(
    job: Job,
    after: Job,
    note: LedgerEntry['job'] | undefined,
    write: (after: Job, change: MeterChangeWrite) => Promise<boolean>,
  ): Promise<boolean> {
    const { accountId, charge } = job;
    const amount = charge.amount - after.cost;
    const { requestId, keyId, lot, period, budget } = charge;
    const entry = {
      model: transcriptionModel,
      requestId,
      ...(keyId !== '' && { keyId }),
      ...(note && { job: note }),
    };
    const refund = { amount, service: 'transcription', lot, period, entry } as const;
    const backTo = (meter: Meter) => {
      const current = budget && meter.budgets.get(budget.id);
      return current?.start === budget?.start && (current?.used ?? 0) >= amount ? budget : undefined;
    };
    try {
      const now = clock.now();
      await metering.change(
        accountId,
        now,
        (meter) => giveBack(meter, refund, Math.floor(now / 1000)),
        async (before, meter, entries) => {
          const current = await jobs.find(job, 0);
          if (!current || !isOpen(current)) throw new Ended();
          const to = amount > 0 ? backTo(before) : undefined;
          return write(after, { before, after: meter, entries, budget: to && { ...to, amount } });
        },
      );
      return true;
    } catch (error) {
      if (error instanceof Ended) return false;
      // The account is deleted, and its jobs are with it.
      if (error instanceof ServiceError && error.code === 'NOT_FOUND') return false;
      throw error;
    }
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
    return settle(job, after, note, (ended, change) => jobs.end(ended, change));
  }

  /** Of one that its owner deletes. */
  function endAndRemove(job: Job): Promise<boolean> {
    const after = { ...job, cost: costOf(job, job.seconds) };
    return settle(job, after, undefined, (ended, change) => jobs.endAndRemove(ended, change));
  }

  return { end, endAndRemove };
}

const costOf = ({ charge }: Job, seconds: number): number =>
  Math.min(charge.amount, secondPrice('transcription', seconds));
