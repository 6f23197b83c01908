import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { allJobs, type Job } from '#contract/jobs.ts';
import { described } from '../shared/problems.ts';
import type { Pump } from '../shared/pump.ts';
import { runJob } from './run-job.ts';

/** The part of CloudWatch Logs on one machine: lines reach the jobs on logs in batches, at least once. */
export interface LogSubscription extends Omit<Pump, 'wake'> {
  readonly follow: (line: string) => void;
}

const batchMs = 10;
const maxTries = 3;
const firstPauseMs = 50;
const subscribers: readonly Job[] = allJobs.filter(({ trigger }) => 'logs' in trigger);

export function createLogSubscription(log: (line: string) => void, run: typeof runJob = runJob): LogSubscription {
  let waiting: string[] = [];
  let delivered: Promise<void> | undefined;

  function follow(line: string): void {
    waiting.push(line);
    delivered ??= deliverAll();
  }

  async function deliverAll(): Promise<void> {
    while (waiting.length > 0) {
      await sleep(batchMs);
      const lines = waiting;
      waiting = [];
      const logEvents = lines.map((message, index) => ({ id: String(index), timestamp: Date.now(), message }));
      const data = gzipSync(JSON.stringify({ messageType: 'DATA_MESSAGE', logEvents })).toString('base64');
      await Promise.all(subscribers.map((job) => deliver(job, { awslogs: { data } })));
    }
    delivered = undefined;
  }

  /** Lambda tries an asynchronous event three times. */
  async function deliver(job: Job, event: unknown): Promise<void> {
    for (let tries = 1; !(await succeeds(job, event)); tries++) {
      if (tries === maxTries) return log(`${job.id}: log lines were given up`);
      await sleep(firstPauseMs * 3 ** (tries - 1));
    }
  }

  async function succeeds(job: Job, event: unknown): Promise<boolean> {
    try {
      await run(job, event);
      return true;
    } catch (error) {
      log(`${job.id}: failed on log lines: ${described(error)}`);
      return false;
    }
  }

  const settled = async (): Promise<void> => delivered;
  return { follow, settled, close: settled };
}
