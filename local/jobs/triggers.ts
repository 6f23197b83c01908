import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import * as v from 'valibot';
import { allJobs, eventSources, type Job } from '#contract/jobs.ts';
import { jobHandler, lambdaContext, withTimeout } from '../gateway/lambda.ts';
import { describeError } from '../shared/problems.ts';
import { type Pump, startPause } from '../shared/pump.ts';

export interface Recurring {
  readonly name: string;
  readonly everySeconds: number;
  run(): Promise<unknown>;
}

export interface Schedule {
  /** Runs every task once. Resolves with whether all succeeded. */
  runAll(): Promise<boolean>;
  /**
   * Starts no more runs and waits for the current ones, without logging their errors, because the service is shutting
   * down.
   */
  close(): Promise<void>;
}

/** Stands in for EventBridge Scheduler. Skips a run while the previous one continues. */
export function startSchedule(tasks: readonly Recurring[], log: (line: string) => void): Schedule {
  let isClosed = false;
  const report = (line: string): void => (isClosed ? undefined : log(line));
  const queues = tasks.map((task) => queueOf(task, report));
  const timers = tasks.map((task, index) => setInterval(() => queues[index]?.whenFree(), task.everySeconds * 1000));

  async function runAll(): Promise<boolean> {
    const outcomes = await Promise.all(queues.map((queue) => queue.now()));
    return outcomes.every(Boolean);
  }

  async function close(): Promise<void> {
    isClosed = true;
    for (const timer of timers) clearInterval(timer);
    await Promise.all(queues.map((queue) => queue.ended()));
  }

  return { runAll, close };
}

function queueOf(task: Recurring, log: (line: string) => void) {
  let last: Promise<boolean> = Promise.resolve(true);
  let waiting = 0;

  async function run(previous: Promise<boolean>): Promise<boolean> {
    await previous;
    try {
      await task.run();
      return true;
    } catch (error) {
      log(`${task.name} failed: ${describeError(error)}`);
      return false;
    } finally {
      waiting -= 1;
    }
  }

  function now(): Promise<boolean> {
    waiting += 1;
    return (last = run(last));
  }

  return { now, whenFree: () => (waiting === 0 ? void now() : undefined), ended: () => last };
}

/**
 * Stands in for EventBridge. Delivers an event at least once to each subscribed job, in any order, unless the process
 * ends first. SES and EventBridge also deliver on a best-effort basis.
 */
export interface EventBus {
  /** Resolves when the event is handled or discarded. Callers need not wait. */
  readonly publish: (event: unknown) => Promise<void>;
  settled(): Promise<void>;
  close(): Promise<void>;
}

const maxEventTries = 5;

const listeners: readonly Job[] = allJobs.filter(({ trigger }) => 'events' in trigger);

const Event = v.object({ source: v.string() });
/** The format in which SNS invokes a function. */
const Notification = v.object({ Records: v.array(v.object({ EventSource: v.literal('aws:sns') })) });

function isSubscribed(trigger: Job['trigger'], event: unknown): boolean {
  if (!('events' in trigger)) return false;
  if (trigger.events === 'transcriptions') return v.is(Notification, event);
  return v.is(Event, event) && event.source === eventSources[trigger.events];
}

export function createEventBus(log: (line: string) => void, run: typeof runJob = runJob): EventBus {
  const pending = new Set<Promise<void>>();
  const ending = new AbortController();

  async function publish(event: unknown): Promise<void> {
    const deliveries = listeners
      .filter(({ trigger }) => isSubscribed(trigger, event))
      .map((job) => {
        const delivery = deliver(job, event, {
          run,
          log,
          noun: 'an event',
          maxTries: maxEventTries,
          signal: ending.signal,
        }).finally(() => pending.delete(delivery));
        pending.add(delivery);
        return delivery;
      });
    await Promise.all(deliveries);
  }

  async function settled(): Promise<void> {
    await Promise.all(pending);
  }

  async function close(): Promise<void> {
    ending.abort();
    await settled();
  }

  return { publish, settled, close };
}

/** Stands in for CloudWatch Logs subscriptions: delivers log lines in batches to the subscribed jobs, at least once. */
export interface LogSubscription extends Omit<Pump, 'wake'> {
  readonly follow: (line: string) => void;
}

const batchMs = 250;
/** Maximum lines of one event, so that a backlog is not serialized at once. */
const maxLines = 500;
/** Lambda attempts an asynchronous invocation three times. */
const maxBatchTries = 3;
const subscribers: readonly Job[] = allJobs.filter(({ trigger }) => 'logs' in trigger);

export function createLogSubscription(log: (line: string) => void, run: typeof runJob = runJob): LogSubscription {
  const waiting: string[] = [];
  let delivered: Promise<void> | undefined;
  let endPause = (): void => undefined;

  function follow(line: string): void {
    waiting.push(line);
    delivered ??= deliverAll();
  }

  async function deliverAll(): Promise<void> {
    while (waiting.length > 0) {
      const pause = startPause(waiting.length < maxLines ? batchMs : 0);
      endPause = pause.end;
      await pause.over;
      const lines = waiting.splice(0, maxLines);
      const logEvents = lines.map((message, index) => ({ id: String(index), timestamp: Date.now(), message }));
      const data = gzipSync(JSON.stringify({ messageType: 'DATA_MESSAGE', logEvents })).toString('base64');
      await Promise.all(
        subscribers.map((job) =>
          deliver(job, { awslogs: { data } }, { run, log, noun: 'log lines', maxTries: maxBatchTries }),
        ),
      );
    }
    delivered = undefined;
  }

  async function settled(): Promise<void> {
    endPause();
    await delivered;
  }

  return { follow, settled, close: settled };
}

const firstWaitMs = 50;

interface Delivery {
  readonly run: typeof runJob;
  readonly log: (line: string) => void;
  /** Name of the delivered items in the log. */
  readonly noun: string;
  readonly maxTries: number;
  /** Aborts the waits, and allows no further attempts. */
  readonly signal?: AbortSignal;
}

async function deliver(job: Job, event: unknown, { run, log, noun, maxTries, signal }: Delivery): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await run(job, event);
      return;
    } catch (error) {
      log(`${job.id}: failed on ${noun}: ${describeError(error)}`);
    }
    if (tries === maxTries || signal?.aborted) return log(`${job.id}: discarded ${noun} after the last attempt`);
    await sleep(firstWaitMs * 3 ** (tries - 1), undefined, signal && { signal }).catch(() => undefined);
  }
}

export function runJob(job: Job, event: unknown): Promise<unknown> {
  return withTimeout(job, async () => {
    const handler = await jobHandler(job);
    return handler(event, lambdaContext(job, randomUUID()));
  });
}
