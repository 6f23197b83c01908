import type { BenchOptions } from './options.ts';
import type { Arm, ArmName } from './shared/arms.ts';
import { Load, type Workload } from './shared/load.ts';
import { median } from './shared/statistics.ts';

/** What an arm did, each figure the median of its rounds; NaN where it has none. */
export interface Measured extends Workload {
  readonly arm: ArmName;
  /** Medians of calls made one after another, in ms. */
  readonly firstByteMs: number;
  readonly totalMs: number;
  /** Of the gateway alone, for a call while it was kept busy, in ms. */
  readonly processorMs: number;
  readonly callsPerSecond: number;
}

/** Rounds that go through the arms in turn: a slow moment of the machine meets all of them, and ratios stand. */
export async function measure(arms: readonly Arm[], workload: Workload, options: BenchOptions): Promise<Measured[]> {
  const loads = arms.map((arm) => new Load(arm, workload));
  const connections = options.connections;
  for (const load of loads) await load.busy(connections, options.warmSeconds);
  const [count, calls] = workload.stream ? [options.streamRounds, options.streams] : [options.rounds, options.calls];
  const quiet = await rounds(loads, count, async (load) => {
    const exchanges = await load.inTurn(calls);
    return {
      firstByteMs: median(exchanges.map(({ firstByteMs }) => firstByteMs)),
      totalMs: median(exchanges.map(({ totalMs }) => totalMs)),
    };
  });
  const busy = await rounds(loads, options.busyRounds, (load) => load.busy(connections, options.busySeconds));
  if (busy.flat().some(({ refused }) => refused > 0))
    throw new Error('calls were refused, so the figures mean nothing');
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
