import type { DynamoDBRecord, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { type Job, jobs } from '#contract/jobs.ts';
import type { LedgerRow } from '#domain/billing/ledger.ts';
import type { SweepKind } from '#domain/meter/meter.ts';
import { accountOfLane, isLane } from '#repositories/meter/lane-image.ts';
import { services } from '../services/container.ts';
import { logger, recordCharge } from '../telemetry.ts';
import { workSignal } from './work-signal.ts';

/** Groups the records of an account's item, or of its lanes (docs/adr/0039-holds-of-one-account.md). */
export function accountOf({ dynamodb: { Keys, NewImage } = {} }: DynamoDBRecord): string {
  const account = accountOfLane(NewImage);
  return account === undefined ? JSON.stringify(Keys) : `lanes ${account}`;
}

/**
 * Writes the ledger rows of a meter image and counts its charges in the metrics, or posts the charge of a lane to the
 * meter. Repeating it changes nothing.
 */
export async function projectImage(image: Record<string, unknown>): Promise<void> {
  const ledger = await services().ledger();
  if (isLane(image)) await ledger.post([image]);
  else record(await ledger.project(image));
}

export async function projectImages(images: readonly Record<string, unknown>[]): Promise<void> {
  const ledger = await services().ledger();
  if (images.some(isLane)) await ledger.post(images);
  else record(await ledger.projectInOrder(images));
}

function record(rows: readonly LedgerRow[]): void {
  for (const { type, service, amount } of rows) {
    if (type === 'charge' && service && amount < 0) recordCharge(service, -amount);
  }
}

const Message = v.object({ shards: v.array(v.number()), at: v.number() });

/** Milliseconds. By then the next dispatch has queued every shard that still has work. */
const validMs = jobs.sweepMeters.trigger.everySeconds * 1000;

/** Creates a Lambda for a queue of shards. A failure is not retried, because the message is stale when it returns. */
export function sweepJob(kind: SweepKind, job: Job) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const { metering, clock } = services();
    const signal = workSignal(job);
    for (const { body } of Records) {
      const { shards, at } = v.parse(Message, JSON.parse(body));
      const now = clock.now();
      if (now - at > validMs) {
        logger().info('postponed to the next dispatch', { kind, shards });
        continue;
      }
      const { accounts } = await metering().sweep(now, { kinds: [kind], shards, signal });
      logger().info('swept', { kind, accounts, isDone: !signal.aborted });
    }
    return { batchItemFailures: [] };
  };
}
