import type { GrowthPoint } from '../growth.ts';
import type { ProjectorCost } from '../projector.ts';
import type { Measured } from '../rounds.ts';
import type { Startup } from '../startup.ts';
import {
  type Comparison,
  compare,
  type Goal,
  goals,
  isHeld,
  pricedStartupBudget,
  startupBudget,
} from './comparison.ts';

/** Everything a run found out, and under which conditions. */
export interface Results {
  readonly conditions: Readonly<Record<string, string>>;
  readonly measured: readonly Measured[];
  readonly projector: ProjectorCost;
  readonly startups: readonly Startup[];
  readonly growth: readonly GrowthPoint[];
}

export function report({ conditions, measured, projector, startups, growth }: Results): string {
  const comparisons = compare(measured);
  return `# Benchmark

Written by \`npm run bench\`; do not edit. Ours has everything switched on (key, rate limit, credits, hold, settlement, request
log and metrics), Portkey nothing. What is measured, and how: [docs/performance.md](../docs/performance.md).

${Object.entries(conditions)
  .map(([name, value]) => `- ${name}: ${value}`)
  .join('\n')}

![Ours beside Portkey and a bare proxy](results.svg)

## Goals, with a prompt of 0.25 KB

${table(['Figure', 'Measured', 'To hold', 'Target', ''], goals(comparisons, startups).map(goalRow))}

## Ratios

Added times are without what a direct call takes. Of streams the time is that to the first byte.

${table(
  [
    'Prompt',
    'Response',
    'Added latency / Portkey',
    'Latency / bare proxy',
    'Processor time / Portkey',
    'Calls per second / Portkey',
  ],
  comparisons.map(comparisonRow),
)}

## Figures

Medians. Latency of calls made one after another; processor time of the gateway for a call, and calls per second, with the
gateway kept busy on one processor. The embedded database shares the other one with the clients: that row is for information.

${table(['Prompt', 'Response', 'Arm', 'First byte ms', 'Whole ms', 'Processor ms', 'Calls/s'], measured.map(measuredRow))}

The ledger projector, which runs after the response, takes ${projector.processorMs.toFixed(2)} ms of processor time for each settled call
(${projector.records} stream records, embedded database).

## Start-up

Wall time of a fresh process that loads a function's code, over one with an empty handler; at most ${startupBudget}, of the
functions of priced calls at most ${pricedStartupBudget}.

${table(['Function', 'KB at start', 'KB gzipped', 'Over empty'], startupRows(startups))}

## Growth, against the embedded database

${table(['Accounts', 'Calls at a time', 'Calls/s', 'Median ms', 'Processor ms', 'Gateway busy', 'Refused'], growth.map(growthRow))}
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
    isHeld(goal) ? 'held' : '**missed**',
  ];
}

function comparisonRow(one: Comparison): Row {
  const ratios = [one.addedLatency, one.overBareProxy, one.processorTime, one.callsPerSecond];
  return [one.size, responseKind(one), ...ratios.map((ratio) => number(ratio, 2))];
}

function measuredRow(row: Measured): Row {
  const times = [row.firstByteMs, row.totalMs].map((ms) => number(ms, 2));
  return [row.size, responseKind(row), row.arm, ...times, number(row.processorMs, 3), number(row.callsPerSecond, 0)];
}

const startupRow = ({ id, bytes, gzippedBytes, ratio }: Startup): Row => [
  id,
  number(bytes / 1000, 0),
  number(gzippedBytes / 1000, 0),
  number(ratio, 2),
];

/** The largest first. */
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
  const figures = [number(callsPerSecond, 0), number(totalMs, 1), number(processorMs, 2)];
  return [String(accounts), String(concurrentCalls), ...figures, `${number(busyShare * 100, 0)} %`, String(refused)];
}
