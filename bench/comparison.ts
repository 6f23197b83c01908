import { allRoutes } from '#contract/routes.ts';
import type { Measurement, Startup } from './measurements.ts';
import type { ArmName } from './shared/arms.ts';
import type { PromptSize } from './shared/load.ts';

/**
 * Ratios of our results to the peer's in the same run, for one kind of call. Added times exclude the time of a direct
 * call.
 */
export interface Comparison {
  readonly size: PromptSize;
  readonly stream: boolean;
  /** Ratio to Portkey. For a stream: time to the first byte. */
  readonly addedLatency: number;
  /** Ratio to the bare proxy, including the time of a direct call. */
  readonly overBareProxy: number;
  readonly processorTime: number;
  readonly callsPerSecond: number;
}

export function compare(all: readonly Measurement[]): Comparison[] {
  const kinds = all.filter(({ arm }) => arm === 'ours');
  return kinds.map(({ size, stream }) => {
    const of = (name: ArmName) => found(all, name, size, stream);
    const [direct, bare, peer, ours] = [of('direct'), of('bare proxy'), of('Portkey'), of('ours')];
    const latency = (one: Measurement) => (stream ? one.firstByteMs : one.totalMs);
    return {
      size,
      stream,
      addedLatency: (latency(ours) - latency(direct)) / (latency(peer) - latency(direct)),
      overBareProxy: latency(ours) / latency(bare),
      processorTime: ours.processorMs / peer.processorMs,
      callsPerSecond: ours.callsPerSecond / peer.callsPerSecond,
    };
  });
}

function found(all: readonly Measurement[], name: ArmName, size: PromptSize, stream: boolean): Measurement {
  const one = all.find((row) => row.arm === name && row.size === size && row.stream === stream);
  if (!one) throw new Error(`${name} was not measured with ${size}`);
  return one;
}

export interface Goal {
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  readonly target: number | undefined;
  readonly isUpperBound: boolean;
}

/**
 * Maximum ratio of the start-up time of any function to that of an empty handler, and the stricter limit for priced
 * calls.
 */
export const startupBudget = 3.5;
export const pricedStartupBudget = 2;
const pricedIds: ReadonlySet<string> = new Set(allRoutes.filter(({ priced }) => priced).map(({ id }) => id));

/** All goals, with those of `npm start`, relative to the handler with the same database. */
export function allGoals(all: readonly Measurement[], startups: readonly Startup[]): Goal[] {
  const [handler, local] = (['ours, real database', 'npm start'] as const).map((arm) =>
    found(all, arm, '0.25 KB', false),
  );
  if (!handler || !local) throw new Error('npm start was not measured');
  const goal = (what: string, value: number, limit: number, isUpperBound = true): Goal => {
    return { what: `\`npm start\`, relative to the handler: ${what}`, value, limit, target: undefined, isUpperBound };
  };
  return [
    ...goals(compare(all), startups),
    goal('CPU time per call', local.processorMs / handler.processorMs, 2),
    goal('latency', local.totalMs / handler.totalMs, 1.5),
    goal('calls per second', local.callsPerSecond / handler.callsPerSecond, 0.8, false),
  ];
}

/** Goals for the smallest prompt and for every start-up. The report's table shows the other sizes. */
function goals(comparisons: readonly Comparison[], startups: readonly Startup[]): Goal[] {
  const plain = comparisons.find(({ size, stream }) => size === '0.25 KB' && !stream);
  const stream = comparisons.find((one) => one.size === '0.25 KB' && one.stream);
  if (!plain || !stream) throw new Error('the smallest prompt was not measured');
  const upperBound = { isUpperBound: true };
  const slowest = (some: readonly Startup[]): number => Math.max(...some.map(({ ratio }) => ratio));
  return [
    { what: 'Added latency, relative to Portkey', value: plain.addedLatency, limit: 0.95, target: 0.7, ...upperBound },
    {
      what: 'CPU time per call, relative to Portkey',
      value: plain.processorTime,
      limit: 0.9,
      target: 0.6,
      ...upperBound,
    },
    {
      what: 'First byte of a stream, relative to the bare proxy',
      value: stream.overBareProxy,
      limit: 1.75,
      target: undefined,
      ...upperBound,
    },
    {
      what: 'Slowest start-up, relative to an empty handler',
      value: slowest(startups),
      limit: startupBudget,
      target: undefined,
      ...upperBound,
    },
    {
      what: 'Slowest start-up of a priced function, relative to an empty handler',
      value: slowest(startups.filter(({ id }) => pricedIds.has(id))),
      limit: pricedStartupBudget,
      target: undefined,
      ...upperBound,
    },
    {
      what: 'Calls per second on one core, relative to Portkey',
      value: plain.callsPerSecond,
      limit: 1.1,
      target: 1.7,
      isUpperBound: false,
    },
  ];
}

export const isMet = ({ value, limit, isUpperBound }: Goal): boolean =>
  isUpperBound ? value <= limit : value >= limit;
