import { allRoutes } from '#contract/routes.ts';
import type { GrowthPoint, Measurement, ProjectorCost, Startup } from './measurements.ts';
import type { ArmName } from './shared/arms.ts';
import type { PromptSize } from './shared/load.ts';

export interface Results {
  readonly conditions: Readonly<Record<string, string>>;
  readonly measured: readonly Measurement[];
  readonly projector: ProjectorCost;
  readonly startups: readonly Startup[];
  readonly growth: readonly GrowthPoint[];
}

export function report({ conditions, measured, projector, startups, growth }: Results): string {
  const comparisons = compare(measured);
  return `# Benchmark

Written by \`npm run bench\`; do not edit. Our gateway runs with every feature (key, rate limit, credits, hold, settlement, request
log and metrics), Portkey with none. Method: [docs/performance.md](../docs/performance.md).

${Object.entries(conditions)
  .map(([name, value]) => `- ${name}: ${value}`)
  .join('\n')}

![Our gateway, Portkey and a bare proxy](results.svg)

## Goals for a prompt of 0.25 KB

${table(['Measurement', 'Result', 'Limit', 'Target', ''], allGoals(measured, startups).map(goalRow))}

## Ratios

Added latency excludes the time of a direct call. The latency of a stream is the time to its first byte.

${table(
  [
    'Prompt',
    'Response',
    'Added latency / Portkey',
    'Latency / bare proxy',
    'CPU time / Portkey',
    'Calls per second / Portkey',
  ],
  comparisons.map(comparisonRow),
)}

## Measurements

Medians. Latencies are those of sequential calls. The CPU time per call and the calls per second are measured with the gateway
busy on one CPU. The embedded database shares the other CPU with the clients, so its row is for information only.

${table(['Prompt', 'Response', 'Arm', 'First byte ms', 'Whole ms', 'CPU ms', 'Calls/s'], measured.map(measuredRow))}

The ledger projector, which runs after the response, takes ${projector.processorMs.toFixed(2)} ms of CPU time for each settled call
(${projector.records} stream records, embedded database).

## Start-up

Time of a new process that loads a function's code, divided by that of an empty handler: at most ${startupBudget}, for
functions of priced calls at most ${pricedStartupBudget}.

${table(['Function', 'KB at start', 'KB gzipped', 'Ratio to empty'], startupRows(startups))}

## Growth with the embedded database

${table(['Accounts', 'Concurrent calls', 'Calls/s', 'Median ms', 'CPU ms', 'Gateway busy', 'Refused'], growth.map(growthRow))}
`;
}

type Row = readonly string[];

function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const number = (value: number, digits: number): string => (Number.isNaN(value) ? '' : value.toFixed(digits));
const responseKind = ({ stream }: { stream: boolean }): string => (stream ? 'streamed' : 'whole');

function goalRow(goal: Goal): Row {
  const { what, value, limit, target, isUpperBound } = goal;
  const bound = `${isUpperBound ? 'at most' : 'at least'} ${limit}`;
  return [
    what,
    value.toFixed(2),
    bound,
    target === undefined ? '' : String(target),
    isMet(goal) ? 'met' : '**missed**',
  ];
}

function comparisonRow(one: Comparison): Row {
  const ratios = [one.addedLatency, one.overBareProxy, one.processorTime, one.callsPerSecond];
  return [one.size, responseKind(one), ...ratios.map((ratio) => number(ratio, 2))];
}

function measuredRow(row: Measurement): Row {
  const times = [row.firstByteMs, row.totalMs].map((ms) => number(ms, 2));
  return [row.size, responseKind(row), row.arm, ...times, number(row.processorMs, 3), number(row.callsPerSecond, 0)];
}

const startupRow = ({ id, bytes, gzippedBytes, ratio }: Startup): Row => [
  id,
  number(bytes / 1000, 0),
  number(gzippedBytes / 1000, 0),
  number(ratio, 2),
];

const startupRows = (startups: readonly Startup[]): Row[] =>
  startups.toSorted((one, other) => other.ratio - one.ratio).map(startupRow);

function growthRow({
  accounts,
  concurrentCalls,
  callsPerSecond,
  totalMs,
  processorMs,
  busyShare,
  refused,
}: GrowthPoint): Row {
  const values = [number(callsPerSecond, 0), number(totalMs, 1), number(processorMs, 2)];
  return [String(accounts), String(concurrentCalls), ...values, `${number(busyShare * 100, 0)}%`, String(refused)];
}

interface Group {
  readonly title: string;
  readonly unit: string;
  readonly digits: number;
  readonly values: readonly { readonly arm: ArmName; readonly value: number }[];
}

const arms: readonly ArmName[] = ['bare proxy', 'ours', 'Portkey'];
const barHeight = 18;
const groupHeight = 92;
const labelWidth = 88;
const barWidth = 460;
const width = 660;

export function chart(measured: readonly Measurement[]): string {
  const groups = groupsOf(measured);
  const height = groups.length * groupHeight + 16;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Our gateway, Portkey and a bare proxy">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; }
rect { fill: #8c959f; }
.ours { fill: #0969da; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } rect { fill: #6e7681; } .ours { fill: #4493f8; } }
</style>
${groups.map((group, index) => drawn(group, index * groupHeight + 20)).join('\n')}
</svg>
`;
}

function groupsOf(measured: readonly Measurement[]): Group[] {
  const value = (stream: boolean, of: (row: Measurement) => number) => (arm: ArmName) => {
    const row = measured.find((one) => one.arm === arm && one.size === '0.25 KB' && one.stream === stream);
    return { arm, value: row ? of(row) : 0 };
  };
  return [
    {
      title: 'Whole response, median',
      unit: 'ms',
      digits: 2,
      values: arms.map(value(false, ({ totalMs }) => totalMs)),
    },
    {
      title: 'First byte of a stream, median',
      unit: 'ms',
      digits: 2,
      values: arms.map(value(true, ({ firstByteMs }) => firstByteMs)),
    },
    {
      title: 'CPU time per call',
      unit: 'ms',
      digits: 3,
      values: arms.map(value(false, ({ processorMs }) => processorMs)),
    },
    {
      title: 'Calls per second on one core',
      unit: '',
      digits: 0,
      values: arms.map(value(false, ({ callsPerSecond }) => callsPerSecond)),
    },
  ];
}

function drawn({ title, unit, digits, values }: Group, top: number): string {
  const max = Math.max(...values.map(({ value }) => value), Number.MIN_VALUE);
  const bars = values.map(({ arm, value }, index) => {
    const y = top + 8 + index * (barHeight + 4);
    const long = Math.max(1, Math.round((value / max) * barWidth));
    const kind = arm === 'ours' ? ' class="ours"' : '';
    return `<text x="0" y="${y + 13}">${arm}</text><rect${kind} x="${labelWidth}" y="${y}" width="${long}" height="${barHeight}" rx="2"/><text x="${labelWidth + long + 6}" y="${y + 13}">${value.toFixed(digits)} ${unit}</text>`;
  });
  return [`<text class="title" x="0" y="${top}">${title}</text>`, ...bars].join('\n');
}

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

function compare(all: readonly Measurement[]): Comparison[] {
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
const startupBudget = 3.5;
const pricedStartupBudget = 2;
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
