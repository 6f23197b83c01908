import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { allJobs, type Job } from '#contract/jobs.ts';
import { eventPatterns } from '#contract/platform/stream-filter.ts';
import { type TableSpec, tables } from '#contract/platform/tables.ts';
import type { Database } from '../dynamodb/database.ts';
import { type StreamPump, startStreamPump } from '../dynamodb/stream-pump.ts';
import { sweepExpired } from '../dynamodb/ttl-sweep.ts';
import type { Closers } from '../shared/closers.ts';
import type { DataFolder } from '../shared/data-folder.ts';
import type { EventBus } from './event-bus.ts';
import { runJob } from './run-job.ts';
import { type Recurring, startSchedule } from './schedule.ts';

export interface BackgroundOptions {
  readonly database: Database;
  readonly folder: DataFolder;
  readonly events: EventBus;
  /** Epoch milliseconds of the shifted clock. */
  readonly now: () => number;
  readonly log: (line: string) => void;
}

/** The work nobody waits for: jobs on streams, jobs on a schedule, removal of expired items. */
export interface Background {
  /** Resolves when the jobs have done what the streams held at the call, and the events that came of it. */
  readonly settled: () => Promise<void>;
  /** Does once what goes by the clock, after the clock was moved; resolves when it is done, but soon in any case. */
  readonly catchUp: () => Promise<void>;
}

const sweepSeconds = 30;
const catchUpMs = 5000;
const specs: readonly TableSpec[] = Object.values(tables);

export async function startBackground(options: BackgroundOptions, closers: Closers): Promise<Background> {
  const { database, events, now, log } = options;
  const client = new DynamoDBStreamsClient({
    endpoint: process.env['AWS_ENDPOINT_URL_DYNAMODB_STREAMS'] ?? database.url,
  });
  closers.add({ close: () => client.destroy() });
  const pumps = await Promise.all(allJobs.flatMap((job) => startPump(job, client, options)));
  for (const pump of pumps) closers.add(pump);

  const expiry = {
    name: 'ttl-sweep',
    everySeconds: sweepSeconds,
    run: () => sweepExpired(database.client, specs, now()),
  };
  const schedule = startSchedule([...allJobs.flatMap(scheduled), expiry], log);
  closers.add(schedule);

  async function settled(): Promise<void> {
    await Promise.all(pumps.map((pump) => pump.settled()));
    await events.settled();
  }

  async function catchUp(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, catchUpMs);
    await Promise.race([schedule.runAll(), late]);
    clearTimeout(timer);
  }

  return { settled, catchUp };
}

function startPump(job: Job, client: DynamoDBStreamsClient, options: BackgroundOptions): Promise<StreamPump>[] {
  const { trigger } = job;
  return 'stream' in trigger ? [openPump(job, trigger, client, options)] : [];
}

async function openPump(
  job: Job,
  { stream, newImageHas }: Extract<Job['trigger'], { stream: unknown }>,
  client: DynamoDBStreamsClient,
  { database, folder, log }: BackgroundOptions,
): Promise<StreamPump> {
  const { name } = tables[stream];
  const { Table } = await database.client.send(new DescribeTableCommand({ TableName: name }));
  if (!Table?.LatestStreamArn) throw new Error(`the table ${name} has no stream`);
  return startStreamPump({
    client,
    streamArn: Table.LatestStreamArn,
    filters: eventPatterns(newImageHas),
    deliver: (event) => runJob(job, event),
    checkpointFile: folder.file(`${job.id}.checkpoint.json`),
    log: (line) => log(`${job.id}: ${line}`),
  });
}

function scheduled(job: Job): Recurring[] {
  const { trigger } = job;
  if (!('everySeconds' in trigger)) return [];
  return [{ name: job.id, everySeconds: trigger.everySeconds, run: () => runJob(job, {}) }];
}
