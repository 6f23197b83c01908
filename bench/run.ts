import './shared/offer.ts';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  benchOptions,
  bundleAll,
  measure,
  type Measurement,
  measureGrowth,
  measureProjector,
  measureStartup,
} from './measurements.ts';
import { allGoals, isMet, chart, report } from './report.ts';
import {
  bareArm,
  directArm,
  oursArm,
  portkeyArm,
  startBareProxy,
  startLocal,
  startOurs,
  startPortkey,
  startUpstream,
} from './shared/arms.ts';
import { addAccounts, benchAccounts, clientOf, startBenchDatabase } from './shared/database.ts';
import { allSizes } from './shared/load.ts';
import { type Child, isPinned, pinClients } from './shared/processes.ts';

/**
 * Compares our gateway with Portkey and writes `bench/RESULTS.md` and its chart. With `--quick`, prints a short run and
 * writes nothing.
 */
if (process.platform !== 'linux') throw new Error('The benchmark reads CPU times from /proc, so it needs Linux.');
const options = benchOptions(process.argv.slice(2));
const began = performance.now();
const loadBefore = loadavg()[0] ?? 0;
const folder = mkdtempSync(join(tmpdir(), 'bench-code-'));
const children: Child[] = [];
const log = (line: string): void =>
  console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}`);

async function started(child: Promise<Child>): Promise<Child> {
  const one = await child;
  children.push(one);
  return one;
}

const ids = bundleAll(folder, options.quick);
log(`${ids.length} functions bundled`);
pinClients();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end().then(() => process.exit(1)));
const database = await startBenchDatabase();
try {
  const upstream = await started(startUpstream());
  const bare = await started(startBareProxy(upstream));
  const portkey = await started(startPortkey());
  const ours = await started(startOurs(folder, upstream, `http://127.0.0.1:${upstream.port}`));
  const stored = await started(startOurs(folder, upstream, database.url));
  const accounts = benchAccounts(200);
  await database.add(accounts);
  const local = await startLocal(upstream, join(folder, 'local'));
  children.push(local);
  const localClient = clientOf(local.databaseUrl);
  await addAccounts(localClient, accounts);
  localClient.destroy();
  log('all servers are running');

  const arms = [directArm(upstream), bareArm(bare), portkeyArm(portkey, upstream), oursArm(ours, accounts)];
  const withDatabase = [oursArm(stored, accounts, 'ours, real database'), oursArm(local, accounts, 'npm start')];
  const measured: Measurement[] = [];
  for (const stream of [false, true]) {
    for (const size of allSizes) {
      const isFirst = size === '0.25 KB' && !stream;
      measured.push(...(await measure(isFirst ? [...arms, ...withDatabase] : arms, { size, stream }, options)));
      log(`${size}, ${stream ? 'streamed' : 'whole'}`);
    }
  }
  const growth = await measureGrowth(stored, database, options.growthSeconds);
  log('growth');
  const projector = await measureProjector(database.url, options.quick ? 300 : 2000);
  log('projector');
  const startups = await measureStartup(folder, ids, options.starts);
  log('start-up');

  const { rounds, calls, streamRounds, streams, busyRounds, busySeconds, connections } = options;
  const conditions = {
    Date: new Date().toISOString().slice(0, 10),
    Machine: `${cpus().length} CPUs, ${process.arch}, Linux; gateways ${isPinned ? 'on one, clients and upstream stubs on the other' : 'not pinned to one of them'}`,
    Load: `${loadBefore.toFixed(1)} on average in the minute before the run`,
    Versions: `Node.js ${process.versions.node}; @portkey-ai/gateway ${versionOf('@portkey-ai/gateway')} with @hono/node-server ${versionOf('@hono/node-server')}`,
    Rounds: `${rounds} of ${calls} sequential calls, ${streamRounds} of ${streams} streams; ${busyRounds} of ${busySeconds} s over ${connections} connections`,
  };
  const results = { conditions, measured, projector, startups, growth };
  if (options.quick) console.log(report(results));
  else {
    writeFileSync(join(import.meta.dirname, 'RESULTS.md'), report(results));
    writeFileSync(join(import.meta.dirname, 'results.svg'), chart(measured));
  }
  for (const goal of allGoals(measured, startups))
    log(`${isMet(goal) ? 'met   ' : 'MISSED'} ${goal.what}: ${goal.value.toFixed(2)}`);
} finally {
  await end();
}

async function end(): Promise<void> {
  await Promise.all(children.map((child) => child.close()));
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}

function versionOf(name: string): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'peer/node_modules', name, 'package.json'), 'utf8')).version;
}
