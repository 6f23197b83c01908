import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { type Job, jobs } from '#contract/jobs.ts';
import type { SweepKind } from '#domain/meter/meter-store.ts';
import { services } from '../services/container.ts';
import { logger, recordCharge } from '../telemetry.ts';
import { workSignal } from './queue-job.ts';

/** Writes the ledger rows of a meter's image, and its charges into the metrics. Doing it again changes no row. */
export async function projectImage(image: Record<string, unknown>): Promise<void> {
  const rows = await services().ledger().project(image);
  for (const { type, service, amount } of rows) {
    if (type === 'charge' && service && amount < 0) recordCharge(service, -amount);
  }
}

const Message = v.object({ shards: v.array(v.number()), at: v.number() });

/** After so long (ms) the next dispatch has queued the shards again, if they still have work. */
const validMs = jobs.sweepMeters.trigger.everySeconds * 1000;

/**
 * A Lambda on a queue of shards. It ends before its timeout and leaves the rest to the next dispatch. A failure fails the run, which its
 * alarm counts. The message is not tried again: it is too old when it comes back.
 */
export function sweepJob(kind: SweepKind, job: Job) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const { metering, clock } = services();
    const signal = workSignal(job);
    for (const { body } of Records) {
      const { shards, at } = v.parse(Message, JSON.parse(body));
      const now = clock.now();
      if (now - at > validMs) {
        logger().info('left to the next dispatch', { kind, shards });
        continue;
      }
      const { accounts } = await metering().sweep(now, { kinds: [kind], shards, signal });
      logger().info('swept', { kind, accounts, isDone: !signal.aborted });
    }
    return { batchItemFailures: [] };
  };
}
