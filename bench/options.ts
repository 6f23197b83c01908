import { parseArgs } from 'node:util';

/** How much is measured: rounds go through all arms in turn, so that a slow moment of the machine meets each of them. */
export interface BenchOptions {
  readonly rounds: number;
  /** Plain calls of an arm in one round, one after another. */
  readonly calls: number;
  /** The same of streams: more rounds, for in one there are few calls. */
  readonly streamRounds: number;
  readonly streams: number;
  /** Seconds that an arm is kept busy before anything is measured: the compiler works for thousands of calls. */
  readonly warmSeconds: number;
  /** Seconds that an arm is kept busy in one round, and by how many connections. */
  readonly busySeconds: number;
  readonly connections: number;
  /** Rounds of busy seconds. */
  readonly busyRounds: number;
  /** Processes started for each bundle. */
  readonly starts: number;
  /** Seconds for each point of the growth table. */
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

/** Throws on a flag that is not known. */
export function benchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({ args: [...args], options: { quick: { type: 'boolean', default: false } } });
  return values.quick ? quick : whole;
}
