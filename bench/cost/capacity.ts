import { planListing, planOfRank } from '#contract/billing/plans.ts';

/**
 * Cost of the writes of one account's calls, and the account's maximum throughput. Admission and settlement rewrite the
 * account's item in `meters`, which contains every running call, so both depend on its concurrent calls
 * (docs/performance.md#growth).
 */

/**
 * Bytes per write unit, and write units per second of a partition. An item is in one partition (AWS "Read/write
 * capacity", "partition key design").
 */
const unitBytes = 1024;
const partitionUnits = 1000;

/**
 * Usual bytes of an account's item, measured by test/perf/capacity.test.ts: with one key, one lot and all rate buckets,
 * and for each hold of a running call. Limited keys and more lots are larger, up to `maxItemBytes` (docs/credits.md).
 */
export const usualItemBytes = { atRest: 512, perCall: 68 } as const;

/**
 * Seconds between two progress records of a stream, each a unit of another item (docs/adr/0012-lost-settlements.md).
 */
const noteSeconds = 2;

/** Calls of equal duration: seconds until the response ends. */
export interface CallShape {
  readonly seconds: number;
  readonly isStream: boolean;
}

/** Writes of the account's item: admission and settlement. */
const itemWrites = 2;

const progressUnits = ({ seconds, isStream }: CallShape): number =>
  isStream ? Math.max(0, Math.ceil(seconds / noteSeconds) - 1) : 0;

/** Bytes of an account's item: without running calls, and per running call. */
interface ItemBytes {
  readonly atRest: number;
  readonly perCall: number;
}

/** Write units per write while this many calls run. */
const unitsOfWrite = (concurrentCalls: number, { atRest, perCall }: ItemBytes = usualItemBytes): number =>
  Math.ceil((atRest + perCall * concurrentCalls) / unitBytes);

/** Write units that one call causes on its account's item while this many calls of the account run. */
const itemUnits = (concurrentCalls: number, item?: ItemBytes): number =>
  itemWrites * unitsOfWrite(concurrentCalls, item);

/** Write units of one call in `meters` while this many calls of its account run. */
export const meterUnits = (call: CallShape, concurrentCalls: number): number =>
  itemUnits(concurrentCalls) + progressUnits(call);

interface Capacity {
  readonly concurrentCalls: number;
  readonly perSecond: number;
}

/** Maximum sustained load of one account: concurrent calls, and calls per second. */
export function accountCapacity(seconds: number, item?: ItemBytes): Capacity {
  const isServed = (concurrentCalls: number) =>
    (concurrentCalls / seconds) * itemUnits(concurrentCalls, item) <= partitionUnits;
  const step = Math.min(1, seconds);
  let concurrentCalls = 0;
  while (isServed(concurrentCalls + step)) concurrentCalls += step;
  return { concurrentCalls: Math.floor(concurrentCalls), perSecond: concurrentCalls / seconds };
}

/** Minimum seconds per call with which one account can sustain this many concurrent calls. */
export const minSecondsFor = (concurrentCalls: number): number =>
  Math.ceil((concurrentCalls * itemUnits(concurrentCalls)) / partitionUnits);

/** Concurrent calls of one account in the tables: one, and the maximum of each plan. */
export const concurrencies: readonly number[] = [
  1,
  ...planListing.map(({ id }) => planOfRank(id).maxConcurrentCalls),
].toSorted((a, b) => a - b);

const number = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0, useGrouping: true });

/** Rows of docs/performance.md: the capacity of one account by the seconds of its calls. */
export function capacityTable(): string {
  const rows = [0.3, 1, 3, 10, 60, 300].map((seconds) => {
    const { perSecond, concurrentCalls } = accountCapacity(seconds);
    return `| ${seconds} s | ${number(perSecond)} | ${number(concurrentCalls)} |`;
  });
  return rows.join('\n');
}

/**
 * Rows of docs/performance.md: item size, and write units of a whole response and of a stream of 3 s, by concurrent
 * calls.
 */
export function unitsTable(): string {
  const rows = concurrencies.map((calls) => {
    const units = [false, true].map((isStream) => number(meterUnits({ seconds: 3, isStream }, calls)));
    return `| ${number(calls)} | ${number(unitsOfWrite(calls))} KB | ${units.join(' | ')} |`;
  });
  return rows.join('\n');
}

/**
 * Renewal of an account without calls: sequential requests, CPU time on a full vCPU, and write units in its table and
 * index.
 */
export interface Renewal {
  readonly requests: number;
  readonly cpuMs: number;
  readonly indexUnits: number;
}

/**
 * Schedule of the sweep (contract/jobs.ts, domain/meter/sweep.ts). `workedShare`: share of a minute in which a run
 * starts accounts.
 */
export interface SweepShape {
  readonly shards: number;
  readonly maxConcurrency: number;
  readonly accountsAtATime: number;
  readonly memoryMb: number;
  readonly workedShare: number;
}

/**
 * Milliseconds of a request to DynamoDB, above its usual 5 to 10; memory with one vCPU (AWS "Configure Lambda function
 * memory").
 */
const requestMs = 12;
const vcpuMb = 1769;

/**
 * Seconds until this many accounts that become due at the same time are renewed, evenly distributed over the shards.
 * Limited by the requests and CPU of a run, and by the partition of a shard's index. Includes a minute until the first
 * dispatch.
 */
export function secondsToRenew(accounts: number, renewal: Renewal, shape: SweepShape): number {
  const waiting = (1000 * shape.accountsAtATime) / (renewal.requests * requestMs);
  const computing = (1000 * Math.min(1, shape.memoryMb / vcpuMb)) / renewal.cpuMs;
  const ofRuns = Math.min(waiting, computing) * Math.min(shape.shards, shape.maxConcurrency) * shape.workedShare;
  const ofIndex = (partitionUnits / renewal.indexUnits) * shape.shards;
  return 60 + accounts / Math.min(ofRuns, ofIndex);
}

/**
 * Write units of a call in a lane, postings of its charge included, and read units, measured by test/perf/lanes.test.ts
 * (docs/adr/0039-holds-of-one-account.md).
 */
export const laneUnits = { write: 2.3, read: 1.2 } as const;
