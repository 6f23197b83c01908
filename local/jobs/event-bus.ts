import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { allJobs, eventSources, type Job } from '#contract/jobs.ts';
import { described } from '../shared/problems.ts';
import { runJob } from './run-job.ts';

/**
 * EventBridge's part for events on one machine. An event reaches the jobs that subscribe to it at least once, in no order,
 * unless the process ends before: SES and EventBridge too only do their best.
 */
export interface EventBus {
  /** Resolves when the event is handled or given up; nobody need wait for that. */
  readonly publish: (event: unknown) => Promise<void>;
  /** Resolves when all that was published before the call is handled or given up. */
  settled(): Promise<void>;
  /** Tries nothing again, and lets what runs end. */
  close(): Promise<void>;
}

const maxTries = 5;
const firstWaitMs = 50;

const listeners: readonly Job[] = allJobs.filter(({ trigger }) => 'events' in trigger);

const Event = v.object({ source: v.string() });
/** As SNS hands it to a function. */
const Notification = v.object({ Records: v.array(v.object({ EventSource: v.literal('aws:sns') })) });

function wants(trigger: Job['trigger'], event: unknown): boolean {
  if (!('events' in trigger)) return false;
  if (trigger.events === 'transcriptions') return v.is(Notification, event);
  return v.is(Event, event) && event.source === eventSources[trigger.events];
}

export function createEventBus(log: (line: string) => void, run: typeof runJob = runJob): EventBus {
  const underWay = new Set<Promise<void>>();
  const ending = new AbortController();

  async function publish(event: unknown): Promise<void> {
    const deliveries = listeners
      .filter(({ trigger }) => wants(trigger, event))
      .map((job) => {
        const delivery = deliver(job, event).finally(() => underWay.delete(delivery));
        underWay.add(delivery);
        return delivery;
      });
    await Promise.all(deliveries);
  }

  async function deliver(job: Job, event: unknown): Promise<void> {
    for (let tries = 1; !(await succeeds(job, event)); tries++) {
      if (tries === maxTries || ending.signal.aborted) return log(`${job.id}: an event was given up`);
      await sleep(firstWaitMs * 3 ** (tries - 1), undefined, { signal: ending.signal }).catch(() => undefined);
    }
  }

  async function succeeds(job: Job, event: unknown): Promise<boolean> {
    try {
      await run(job, event);
      return true;
    } catch (error) {
      log(`${job.id}: failed on an event: ${described(error)}`);
      return false;
    }
  }

  async function settled(): Promise<void> {
    await Promise.all(underWay);
  }

  async function close(): Promise<void> {
    ending.abort();
    await settled();
  }

  return { publish, settled, close };
}
