import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { jobEntry, routeEntry } from '#contract/handlers.ts';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes, unknownRouteId } from '#contract/routes.ts';
import { bundle } from '#lib/constructs/function-code.ts';
import { type Arm, type ArmName, oursArm } from './shared/arms.ts';
import { type BenchAccount, benchAccounts, type BenchDatabase } from './shared/database.ts';
import { type Busy, Load, median, type Workload } from './shared/load.ts';
import { type Child, onGatewayProcessor } from './shared/processes.ts';

/** Medians of an arm's rounds. NaN if the arm has no such value. */
export interface Measurement extends Workload {
  readonly arm: ArmName;
  /** Milliseconds of sequential calls. */
  readonly firstByteMs: number;
  readonly totalMs: number;
  /** CPU time of the gateway per call under load, in ms. The client and the upstream are excluded. */
  readonly processorMs: number;
  readonly callsPerSecond: number;
}

/**
 * Alternates between the arms in every round, so that a slow phase of the machine affects all of them and the ratios
 * stay valid.
 */
export async function measure(arms: readonly Arm[], workload: Workload, options: BenchOptions): Promise<Measurement[]> {
  const loads = arms.map((arm) => new Load(arm, workload));
  const connections = options.connections;
  for (const load of loads) await load.busy(connections, options.warmSeconds);
  const [count, calls] = workload.stream ? [options.streamRounds, options.streams] : [options.rounds, options.calls];
  const quiet = await rounds(loads, count, async (load) => {
    const exchanges = await load.sequential(calls);
    return {
      firstByteMs: median(exchanges.map(({ firstByteMs }) => firstByteMs)),
      totalMs: median(exchanges.map(({ totalMs }) => totalMs)),
    };
  });
  const busy = await rounds(loads, options.busyRounds, (load) => load.busy(connections, options.busySeconds));
  if (busy.flat().some(({ refused }) => refused > 0))
    throw new Error('calls were refused, so the results are not comparable');
  return loads.map(({ arm }, index) => ({
    arm: arm.name,
    ...workload,
    firstByteMs: median((quiet[index] ?? []).map(({ firstByteMs }) => firstByteMs)),
    totalMs: median((quiet[index] ?? []).map(({ totalMs }) => totalMs)),
    processorMs: median((busy[index] ?? []).map(({ processorMs }) => processorMs)),
    callsPerSecond: median((busy[index] ?? []).map(({ callsPerSecond }) => callsPerSecond)),
  }));
}

async function rounds<T>(loads: readonly Load[], count: number, work: (load: Load) => Promise<T>): Promise<T[][]> {
  const results = loads.map((): T[] => []);
  for (let round = 0; round < count; round++) {
    for (const [index, load] of loads.entries()) results[index]?.push(await work(load));
  }
  return results;
}

export interface BenchOptions {
  readonly rounds: number;
  readonly calls: number;
  /** A round contains few streams, because they are slow. More rounds compensate for this. */
  readonly streamRounds: number;
  readonly streams: number;
  /** Seconds of load before the measurement, because the JIT compiler needs thousands of calls. */
  readonly warmSeconds: number;
  readonly busySeconds: number;
  readonly connections: number;
  readonly busyRounds: number;
  /** Processes started for each bundle. */
  readonly starts: number;
  readonly growthSeconds: number;
  readonly quick: boolean;
}

const whole: BenchOptions = {
  rounds: 7,
  calls: 100,
  streamRounds: 21,
  streams: 6,
  warmSeconds: 16,
  busySeconds: 3,
  connections: 16,
  busyRounds: 3,
  starts: 9,
  growthSeconds: 2,
  quick: false,
};

const quick: BenchOptions = {
  rounds: 3,
  calls: 40,
  streamRounds: 3,
  streams: 3,
  warmSeconds: 2,
  busySeconds: 1,
  connections: 16,
  busyRounds: 1,
  starts: 3,
  growthSeconds: 0.5,
  quick: true,
};

export function benchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({ args: [...args], options: { quick: { type: 'boolean', default: false } } });
  return values.quick ? quick : whole;
}

/** Rank of the plan without limits: an account can have 200 concurrent calls. */
const enterprise = 5;

export interface GrowthPoint extends Busy {
  readonly accounts: number;
  readonly concurrentCalls: number;
}

const workload = { size: '0.25 KB', stream: false } as const;

/**
 * Measures more accounts at 16 concurrent calls, then more concurrent calls of one account, against the embedded
 * database.
 */
export async function measureGrowth(ours: Child, database: BenchDatabase, seconds: number): Promise<GrowthPoint[]> {
  const many = benchAccounts(1000, { planRank: enterprise });
  await database.add(many);
  const points: GrowthPoint[] = [];
  for (const accounts of [1, 10, 100, 1000]) points.push(await point(ours, many.slice(0, accounts), 16, seconds));
  for (const concurrentCalls of [1, 4, 16, 50, 100, 200])
    points.push(await point(ours, many.slice(0, 1), concurrentCalls, seconds));
  return points;
}

async function point(ours: Child, accounts: readonly BenchAccount[], concurrentCalls: number, seconds: number) {
  const load = new Load(oursArm(ours, accounts, 'ours, real database'), workload);
  await load.busy(concurrentCalls, 0.5);
  return { accounts: accounts.length, concurrentCalls, ...(await load.busy(concurrentCalls, seconds)) };
}

const run = promisify(execFile);

export interface ProjectorCost {
  readonly records: number;
  /** CPU time of the job per record of a settled call, without the database. */
  readonly processorMs: number;
}

export async function measureProjector(databaseUrl: string, records: number): Promise<ProjectorCost> {
  const program = join(import.meta.dirname, 'gateways/projector.ts');
  const [node = '', ...args] = onGatewayProcessor([process.execPath, program, databaseUrl, String(records)]);
  const { stdout } = await run(node, args, { maxBuffer: 256 * 1024 * 1024 });
  return { records, processorMs: Number(stdout.trim().split('\n').at(-1)) };
}

export interface Startup {
  readonly id: string;
  /** Minified size of the modules that are loaded at start-up. */
  readonly bytes: number;
  readonly gzippedBytes: number;
  /** Time of a process that loads the handler, divided by that of one with an empty handler. */
  readonly ratio: number;
}

/** Bundles every function, or a few for a quick run, each into its own folder. */
export function bundleAll(folder: string, isQuick: boolean): string[] {
  const all = [
    ...[...allRoutes, { id: unknownRouteId }].map(({ id }) => ({ id, entry: routeEntry(id) })),
    ...allJobs.map((job) => ({ id: job.id, entry: jobEntry(job) })),
  ];
  const bundled = isQuick ? all.filter(({ id }) => /create-(chat-)?completion|list-keys/.test(id)) : all;
  for (const { id, entry } of bundled) bundle(entry, join(folder, id));
  return bundled.map(({ id }) => id);
}

/** Measures processes that only load a handler, alternating between all functions. */
export async function measureStartup(folder: string, ids: readonly string[], rounds: number): Promise<Startup[]> {
  const empty = join(folder, 'empty', 'index.mjs');
  mkdirSync(join(folder, 'empty'), { recursive: true });
  writeFileSync(empty, 'export const handler = async () => undefined;\n');
  const ratios = new Map<string, number[]>(ids.map((id) => [id, []]));
  for (let round = 0; round < rounds; round++) {
    for (const id of ids) {
      const emptyMs = await startMs(empty);
      ratios.get(id)?.push((await startMs(join(folder, id, 'index.mjs'))) / emptyMs);
    }
  }
  return ids.map((id) => ({ id, ...sizeAtStart(join(folder, id)), ratio: median(ratios.get(id) ?? []) }));
}

async function startMs(file: string): Promise<number> {
  const [program = '', ...args] = onGatewayProcessor([
    process.execPath,
    '--input-type=module',
    '-e',
    `import ${JSON.stringify(file)}`,
  ]);
  const began = performance.now();
  await run(program, args, { env: { ...process.env, NODE_COMPILE_CACHE: undefined } });
  return performance.now() - began;
}

/** Bytes of the modules loaded at start-up: `index.mjs` and its static imports. */
export function sizeAtStart(folder: string): { bytes: number; gzippedBytes: number } {
  const texts = [...modulesOf(folder, 'index.mjs', new Set())].map((file) => readFileSync(join(folder, file)));
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);
  return {
    bytes: sum(texts.map(({ length }) => length)),
    gzippedBytes: sum(texts.map((text) => gzipSync(text).length)),
  };
}

function modulesOf(folder: string, file: string, seen: Set<string>): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const imports = readFileSync(join(folder, file), 'utf8').matchAll(/(?:from|import)"\.\/([\w-]+\.mjs)"/g);
  for (const [, imported = ''] of imports) modulesOf(folder, imported, seen);
  return seen;
}
