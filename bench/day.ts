import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountCapacity } from '#bench/cost/capacity.ts';
import { addMonths } from '#contract/shared/time.ts';
import { seededRandom } from '#local/sagemaker/words.ts';
import { startService } from '#local/start/service.ts';
import { oursArm } from './shared/arms.ts';
import { startCountedDatabase, type Units, benchAccounts, startBenchDatabase } from './shared/database.ts';
import { chatBody, Connection, requestBytes } from './shared/load.ts';

/**
 * A day of a stage at full size, scaled down: the whole service runs on a database that counts units, on a clock that
 * moves an hour at a time, with hot accounts, streams, failing models, refused calls, and a renewal of all accounts at
 * noon. Prints units per call by table, and what a stage needs from 3 to 10,000 calls a second.
 */
const callsADay = Number(process.argv[2] ?? 4800);
const accountCount = 200;
const connections = 4;

/** The month of every account ends at this hour. */
const renewalHour = 12;

/** Calls of each hour relative to the average: a sine with its maximum in the afternoon. */
const share = (hour: number): number => 1 + 0.6 * Math.sin(((hour - 9) / 12) * Math.PI);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const hours = Array.from({ length: 24 }, (_, hour) => hour);

/** Shares of all calls. */
const streams = 0.3;
const failures = 0.02;
const refusals = 0.02;

/** Zipf's law: the account of rank n makes 1/n of the calls of the first. */
const harmonic = (count: number): number => sum(Array.from({ length: count }, (_, index) => 1 / (index + 1)));

function zipf(random: number): number {
  let left = random * harmonic(accountCount);
  let rank = 1;
  while (rank < accountCount && (left -= 1 / rank) >= 0) rank += 1;
  return rank - 1;
}

const folder = mkdtempSync(join(tmpdir(), 'bench-day-'));
const database = await startBenchDatabase();
const counted = await startCountedDatabase(database.url);
const service = await startService({ port: 0, data: join(folder, 'data'), databaseUrl: counted.url, wordDelayMs: 0 });

async function local(path: string, body: unknown): Promise<void> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${service.origin}/_local/${path}`, init);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

interface Hour {
  readonly hour: number;
  readonly calls: number;
  readonly units: Units;
}

async function run(): Promise<readonly Hour[]> {
  const midnight = Math.ceil(Date.now() / 86_400_000) * 86_400;
  const began = addMonths(midnight + renewalHour * 3600, -1);
  const accounts = benchAccounts(accountCount, { since: began });
  const without = benchAccounts(1, { microCredits: 1, from: accountCount });
  await database.add([...accounts, ...without]);
  const port = Number(new URL(service.origin).port);
  const arm = oursArm({ port, pid: process.pid, close: async () => undefined }, [...accounts, ...without]);
  const requests = [false, true].map((stream) =>
    arm.headers.map((headers) => requestBytes(arm.path, headers, chatBody('0.25 KB', stream))),
  );
  const random = seededRandom(1);
  const result: Hour[] = [];
  for (const hour of hours) {
    await local('clock', { now: new Date((midnight + hour * 3600) * 1000).toISOString() });
    const calls = Math.round((callsADay / 24) * share(hour));
    await local('faults', { target: 'sagemaker', fault: 'error', rate: failures, count: calls });
    let left = calls;
    const work = async (): Promise<void> => {
      const connection = await Connection.open(port);
      while (left-- > 0) {
        const account = random() < refusals ? accountCount : zipf(random());
        const request = requests[random() < streams ? 1 : 0]?.[account];
        if (request) await connection.exchange(request);
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: connections }, work));
    await service.settled();
    result.push({ hour, calls, units: counted.take() });
  }
  return result;
}

const shown = (value: number, digits = 0): string => value.toLocaleString('en-US', { maximumFractionDigits: digits });

/** Units of a table or index, and calls, over some hours. */
function unitsPerCall(name: string, kind: 'read' | 'write', over: readonly Hour[]): number {
  return sum(over.map(({ units }) => units[name]?.[kind] ?? 0)) / sum(over.map(({ calls }) => calls));
}

/** Write units per second that a new on-demand table accepts (AWS "DynamoDB on-demand capacity mode"). */
const newTable = 4000;

/**
 * Share of the writes that a table throttles on its first day. It accepts twice its earlier peak.
 */
function throttledShare(perSecond: readonly number[]): number {
  let peak = 0;
  let throttled = 0;
  for (const demand of perSecond) {
    throttled += Math.max(0, demand - Math.max(newTable, 2 * peak));
    peak = Math.max(peak, demand);
  }
  return throttled / sum(perSecond);
}

/** Calls per second of the stage, on average over the day. Its busiest hour has 1.6 times as many. */
const rates = [3, 30, 300, 1000, 10_000] as const;
const busiest = Math.max(...hours.map(share));
const secondsPerCall = 3;

interface Resource {
  readonly name: string;
  readonly perCall: number;
  /** Default quota, or what a new table accepts. */
  readonly limit: number;
}

/**
 * Needs of one call per second, with the default quotas (AWS "Lambda quotas", "API Gateway quotas", "Quotas in
 * DynamoDB").
 */
const resources = (writes: (name: string) => number): readonly Resource[] => [
  { name: 'Concurrent functions', perCall: secondsPerCall, limit: 1000 },
  { name: 'Requests per second of API Gateway', perCall: 1, limit: 10_000 },
  ...['meters', 'ledger', 'requests'].map((table) => ({
    name: `Write units per second of \`${table}\``,
    perCall: writes(table),
    limit: newTable,
  })),
  { name: 'Calls per second of the busiest account, of 1,000', perCall: 1 / harmonic(1000), limit: oneAccount },
];

/** Maximum calls of one account, and without the share of others. */
const oneAccount = accountCapacity(secondsPerCall).perSecond;

try {
  const day = await run();
  const usual = day.filter(({ hour }) => hour !== renewalHour);
  const noon = day.filter(({ hour }) => hour === renewalHour);
  const names = [...new Set(day.flatMap(({ units }) => Object.keys(units)))].toSorted();
  const writes = (name: string): number => unitsPerCall(name, 'write', usual);
  console.log(
    `${sum(day.map(({ calls }) => calls))} calls of ${accountCount} accounts. Units of a call, and of a renewal:\n`,
  );
  console.log(
    '| Table or index | Write units of a call | Read units | Write units of a renewal | Throttled on the first day at 10,000 calls a second |',
  );
  console.log('| --- | ---: | ---: | ---: | ---: |');
  for (const name of names) {
    const calls = sum(noon.map((hour) => hour.calls));
    const renewal = ((unitsPerCall(name, 'write', noon) - writes(name)) * calls) / accountCount;
    const throttled = throttledShare(hours.map((hour) => writes(name) * 10_000 * share(hour)));
    if (writes(name) + renewal < 0.005) continue;
    const cells = [shown(writes(name), 2), shown(unitsPerCall(name, 'read', usual), 2), shown(Math.max(0, renewal), 2)];
    console.log(`| \`${name}\` | ${cells.join(' | ')} | ${shown(100 * throttled, 1)}% |`);
  }
  console.log(`\n| Calls per second, average | ${rates.map((rate) => shown(rate)).join(' | ')} |`);
  console.log(`| --- | ${rates.map(() => '---: |').join(' ')}`);
  for (const { name, perCall, limit } of resources(writes)) {
    const needs = rates.map((rate) => perCall * rate * busiest);
    console.log(
      `| ${name} (default ${shown(limit)}) | ${needs.map((need) => (need > limit ? `**${shown(need)}**` : shown(need))).join(' | ')} |`,
    );
  }
} finally {
  await service.close();
  await counted.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}
