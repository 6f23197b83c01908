import { DescribeTableCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { canary, type Job, jobs, jobsFor, type QueueTrigger, type StreamTrigger } from '#contract/jobs.ts';
import { eventPatterns, type QueueId, queues, tables, type TableSpec } from '#contract/platform/resources.ts';
import type { Database } from '../dynamodb/database.ts';
import { type StreamPump, startStreamPump } from '../dynamodb/stream-pump.ts';
import { createTtlSweep, startStreamTrim } from '../dynamodb/upkeep.ts';
import type { StripeServer } from '../payments/stripe.ts';
import type { FileStore } from '../s3/file-store.ts';
import type { Closers } from '../shared/closers.ts';
import type { DataFolder } from '../shared/data-folder.ts';
import type { Pump } from '../shared/pump.ts';
import { type QueuePumpOptions, startQueuePump } from '../sqs/queue-pump.ts';
import { type EventBus, type LogSubscription, type Recurring, runJob, startSchedule } from './triggers.ts';

export interface BackgroundOptions {
  readonly database: Database;
  readonly queues: QueuePumpOptions['store'];
  readonly folder: DataFolder;
  /** Their objects expire. */
  readonly stores: readonly Pick<FileStore, 'expire'>[];
  readonly events: EventBus;
  readonly logLines: Pick<LogSubscription, 'settled'>;
  readonly hasCanary: boolean;
  readonly stripe: Pick<StripeServer, 'advance'> | undefined;
  /** Epoch ms of the shifted clock. */
  readonly now: () => number;
  readonly log: (line: string) => void;
}

/** Asynchronous work: jobs on streams, queues and schedules, and removal of expired items. */
export interface Background {
  /** Resolves when the jobs have processed the streams' current records and the messages and events that resulted. */
  readonly settled: () => Promise<void>;
  /**
   * Runs the work that the clock made due once. Resolves with whether it is done; after 20 s it continues in the
   * background.
   */
  readonly catchUp: () => Promise<boolean>;
  /** Runs the work that Stripe made due at a stop of the moving clock. */
  readonly passStop: () => Promise<void>;
  /** Resolves every `catchUp` with false, because the service is shutting down. */
  readonly stopWaiting: () => void;
  readonly wake: () => void;
}

/**
 * Whether an account is due at `now` (epoch ms) by an index: to be renewed, or its holds to be checked. The job's query
 * of each shard would take more time than all other jobs.
 */
async function isAnyDue({ client, file }: Database, now: number, index: 'due' | 'holds' = 'due'): Promise<boolean> {
  const { name, indexes } = tables.meters;
  const { sortKey } = indexes[index];
  const seconds = Math.floor(now / 1000);
  if (file) return file.hasDue(name, index, sortKey.name, seconds);
  const due = {
    TableName: name,
    IndexName: index,
    FilterExpression: '#due <= :now',
    ExpressionAttributeNames: { '#due': sortKey.name },
    ExpressionAttributeValues: { ':now': { N: String(seconds) } },
  };
  for await (const { Count = 0 } of paginateScan({ client }, due)) if (Count > 0) return true;
  return false;
}

/** Queues of `sweep-meters`, whose messages bring accounts to the time of the clock. */
const sweepQueues: ReadonlySet<QueueId> = new Set(jobs.sweepMeters.uses.queues);

const sweepSeconds = 30;
const catchUpMs = 20_000;

/** Milliseconds that running jobs have at shutdown. An interrupted job is repeated, as after kill -9. */
const closeMs = 2000;
const specs: readonly TableSpec[] = Object.values(tables);

export async function startBackground(options: BackgroundOptions, closers: Closers): Promise<Background> {
  const { database, stores, events, logLines, hasCanary, stripe, now, log } = options;
  const own = jobsFor(stripe !== undefined);
  const client = new DynamoDBStreamsClient({
    endpoint: process.env['AWS_ENDPOINT_URL_DYNAMODB_STREAMS'] ?? database.url,
  });
  // The middleware would copy every record for a log that is off.
  client.middlewareStack.remove('loggerMiddleware');
  closers.add({ close: () => client.destroy() });
  const followers = await Promise.all(own.flatMap((job) => followStream(job, client, options)));
  const streams = followers.map(({ pump }) => pump);
  const consumers = startConsumers(options);

  if (database.file) {
    const pumps = new Map(
      Map.groupBy(followers, ({ table }) => table)
        .entries()
        .map(([table, those]) => [table, those.map(({ pump }) => pump)]),
    );
    closers.add(startStreamTrim({ file: database.file, pumps, log }));
  }

  const sweep = createTtlSweep(database, specs);
  const expiry = { name: 'ttl-sweep', everySeconds: sweepSeconds, run: () => sweep(now()) };
  const fileExpiry = {
    name: 'file-expiry',
    everySeconds: 3600,
    run: () => Promise.all(stores.map((store) => store.expire())),
  };
  const isWorkless = async ({ id }: Job): Promise<boolean> => {
    // In an external database, the scan would cost more than the job's queries.
    if (id !== jobs.sweepMeters.id || !database.file) return false;
    return !(await isAnyDue(database, now(), 'holds')) && !(await isAnyDue(database, now()));
  };
  const scheduledJobs = (hasCanary ? [...own, canary] : own).flatMap((job) => scheduled(job, isWorkless));
  const schedule = startSchedule([...scheduledJobs, expiry, fileExpiry], log);
  const parts = [schedule, ...consumers.values(), ...streams];
  closers.add({ close: () => withTimeLimit(closeMs, Promise.all(parts.map((part) => part.close()))) });

  const settledAll = (pumps: Iterable<Pump> = consumers.values()) =>
    Promise.all([...pumps].map((pump) => pump.settled()));
  const sweeps = [...consumers].flatMap(([queue, pump]) => (sweepQueues.has(queue) ? [pump] : []));

  async function settled(): Promise<void> {
    await Promise.all(streams.map((pump) => pump.settled()));
    await settledAll();
    await events.settled();
    await logLines.settled();
  }

  /** Runs the scheduled jobs until no account is due, then processes the queued messages. */
  async function runUntilCaughtUp(isLate: () => boolean): Promise<boolean> {
    let isDone: boolean;
    let isLeft: boolean;
    await stripe?.advance();
    do {
      isDone = await schedule.runAll();
      await settledAll(sweeps);
      // One run of the sweep advances an account by a limited number of months.
      isLeft = await isAnyDue(database, now());
    } while (isDone && isLeft && !isLate());
    await settledAll();
    return isDone && !isLeft;
  }

  const ending = Promise.withResolvers<boolean>();
  let isEnding = false;

  async function catchUp(): Promise<boolean> {
    const deadline = performance.now() + catchUpMs;
    const work = runUntilCaughtUp(() => isEnding || performance.now() > deadline);
    return (await withTimeLimit(catchUpMs, Promise.race([work, ending.promise]))) ?? false;
  }

  async function passStop(): Promise<void> {
    await stripe?.advance();
    await settledAll();
    await runJob(jobs.sweepPayments, {});
    await settledAll();
  }

  function wake(): void {
    for (const pump of streams) pump.wake();
  }

  function stopWaiting(): void {
    isEnding = true;
    ending.resolve(false);
  }

  return { settled, catchUp, passStop, stopWaiting, wake };
}

async function withTimeLimit<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function startConsumers({ queues: store, stripe, log }: BackgroundOptions): ReadonlyMap<QueueId, Pump> {
  const pumps = jobsFor(stripe !== undefined).flatMap((job): (readonly [QueueId, Pump])[] => {
    if (!('queue' in job.trigger)) return [];
    const { queue, maxConcurrency, batchSize }: QueueTrigger = job.trigger;
    const { name } = queues[queue];
    const pump = startQueuePump({
      maxConcurrency,
      batchSize,
      name,
      store,
      deliver: (event) => runJob(job, event),
      log: logAs(job, log),
    });
    return [[queue, pump] as const];
  });
  return new Map(pumps);
}

interface Follower {
  readonly table: string;
  readonly pump: StreamPump;
}

function followStream(job: Job, client: DynamoDBStreamsClient, options: BackgroundOptions): Promise<Follower>[] {
  const { trigger } = job;
  return 'stream' in trigger ? [openPump(job, trigger, client, options)] : [];
}

async function openPump(
  job: Job,
  { stream, newImageHas, concurrentBatches }: StreamTrigger,
  client: DynamoDBStreamsClient,
  { database, folder, log }: BackgroundOptions,
): Promise<Follower> {
  const { name } = tables[stream];
  const { Table } = await database.client.send(new DescribeTableCommand({ TableName: name }));
  if (!Table?.LatestStreamArn) throw new Error(`the table ${name} has no stream`);
  const pump = await startStreamPump({
    client,
    streamArn: Table.LatestStreamArn,
    filters: eventPatterns(newImageHas),
    concurrentBatches,
    deliver: (event) => runJob(job, event),
    checkpointFile: folder.file(`${job.id}.checkpoint.json`),
    file: database.file,
    // Lambda polls every 250 ms. Users wait for emails, and each call writes to `meters`.
    restMs: stream === 'meters' ? 250 : 50,
    log: logAs(job, log),
  });
  return { table: name, pump };
}

const logAs =
  ({ id }: Job, log: BackgroundOptions['log']) =>
  (line: string) =>
    log(`${id}: ${line}`);

function scheduled(job: Job, isWorkless: (job: Job) => Promise<boolean>): Recurring[] {
  const { trigger } = job;
  if (!('everySeconds' in trigger)) return [];
  const run = async () => (await isWorkless(job)) || runJob(job, {});
  return [{ name: job.id, everySeconds: trigger.everySeconds, run }];
}
