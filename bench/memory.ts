import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { listPrices } from '#bench/cost/cost.ts';
import { routeEntry } from '#contract/handlers.ts';
import type { Route } from '#contract/http/route.ts';
import { allRoutes } from '#contract/routes.ts';
import { silence, samples } from '#contract/samples.ts';
import { bundle } from '#lib/constructs/function-code.ts';
import { startService } from '#local/start/service.ts';
import { chatBody, Connection, type Exchange, median, requestBytes } from './shared/load.ts';
import { type Child, onGatewayProcessor, pinClients, startChild } from './shared/processes.ts';

/**
 * Measures every priced function with the CPU share of several memory sizes: time to the first byte and to the end of
 * its response, and peak memory. Needs root and cgroups, as it limits the CPU time of the function's process.
 */
const sizesMb = [128, 256, 512, 1024] as const;
const calls = { warm: 40, measured: 30 } as const;

/** Memory with one vCPU (AWS "Configure Lambda function memory"). */
const vcpuMb = 1769;

/** Period of the CPU limit, in µs. Lambda's is not published. */
const periodUs = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'bench-memory-'));
const isVersion2 = existsSync('/sys/fs/cgroup/cgroup.controllers');
const group = isVersion2 ? '/sys/fs/cgroup/bench-memory' : '/sys/fs/cgroup/cpu/bench-memory';

/** Limits a process to the CPU share of a function with this memory. */
function limit(pid: number, memoryMb: number): void {
  mkdirSync(group, { recursive: true });
  const quota = Math.round((periodUs * memoryMb) / vcpuMb);
  if (isVersion2) writeFileSync(join(group, 'cpu.max'), `${quota} ${periodUs}`);
  else {
    writeFileSync(join(group, 'cpu.cfs_quota_us'), '-1');
    writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodUs));
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota));
  }
  writeFileSync(join(group, 'cgroup.procs'), String(pid));
}

/** Limits of the heap as Lambda's Node.js runtime sets them. */
const heapLimits = (memoryMb: number): readonly string[] => [
  `--max-old-space-size=${Math.floor(memoryMb * 0.9)}`,
  `--max-semi-space-size=${Math.max(1, Math.floor(memoryMb * 0.05))}`,
];

const peakMb = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Priced routes that wait for no model: a transcription job requires an upload, and messages have hourly limits. */
const withoutModel: ReadonlySet<string> = new Set(['create-transcription-job', 'send-message']);

interface Workload {
  readonly name: string;
  readonly route: Route;
  readonly path: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

pinClients();
const service = await startService({ port: 0, data: join(folder, 'data'), wordDelayMs: 0 });
const { demo } = service.status;
if (!demo) throw new Error('the demo account is missing');
const authorization = { Authorization: `Bearer ${demo.apiKey}` };

const Created = v.object({ data: v.object({ id: v.string() }) });

/** Creates an object through the API and returns its id. */
async function created(path: string, body: unknown): Promise<string> {
  const headers = { ...authorization, 'content-type': 'application/json' };
  const response = await fetch(`${service.origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return v.parse(Created, await response.json()).data.id;
}

async function workloads(): Promise<readonly Workload[]> {
  const agent = await created('/api/agents', samples['create-agent']?.body);
  const conversation = await created(`/api/agents/${agent}/conversations`, {});
  const ids: Readonly<Record<string, string>> = { id: agent, conversationId: conversation };
  const priced = allRoutes.filter(({ id, priced }) => priced && samples[id] && !withoutModel.has(id));
  const usual = priced.flatMap((route): Workload[] => {
    const { body, file } = samples[route.id] ?? {};
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? name);
    const name = route.id;
    if (file === undefined) return [{ name, route, path, body: JSON.stringify(body) }];
    return [{ name, route, path, ...form(Object(body), Buffer.from(silence, 'base64')) }];
  });
  const chat = usual.find(({ name }) => name === 'create-chat-completion');
  if (!chat) throw new Error('the chat route is missing');
  return [
    ...usual,
    { ...chat, name: 'create-chat-completion, streamed', body: chatBody('0.25 KB', true) },
    { ...chat, name: 'create-chat-completion, 64 KB', body: chatBody('64 KB', false) },
    { ...chat, name: 'create-chat-completion, 1 MB, refused', body: tooLong },
  ];
}

/** A multipart form with a file. Its body is Latin-1, one character per byte. */
function form(fields: Readonly<Record<string, unknown>>, file: Buffer): Pick<Workload, 'body' | 'headers'> {
  const parts = Object.entries(fields).map(([name, value]) => [`name="${name}"`, String(value)]);
  const lines = [...parts, ['name="file"; filename="a.wav"\r\nContent-Type: audio/wav', file.toString('latin1')]];
  const body = lines.map(([head, value]) => `--bound\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`);
  return { body: `${body.join('')}--bound--\r\n`, headers: { 'Content-Type': 'multipart/form-data; boundary=bound' } };
}

/** The longest body that is read completely, with a prompt that no model takes. */
const tooLong = chatBody('64 KB', false).replace('The quick', 'a quiet river bank '.repeat(50_000));

interface Row {
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly peakMb: number;
}

async function measure({ name, path, body, headers }: Workload, memoryMb: number): Promise<Row> {
  const child: Child = await startChild({
    command: (own) =>
      onGatewayProcessor([
        process.execPath,
        ...heapLimits(memoryMb),
        join(import.meta.dirname, 'gateways/ours.ts'),
        String(own),
        folder,
      ]),
    // The variables of the functions are set in this process.
    env: {
      POWERTOOLS_METRICS_DISABLED: 'false',
      POWERTOOLS_METRICS_NAMESPACE: 'text-ai',
      POWERTOOLS_LOG_LEVEL: 'INFO',
    },
  });
  const request = requestBytes(path, { ...authorization, ...headers }, body);
  const connection = await Connection.open(child.port);
  const exchanges: Exchange[] = [];
  try {
    for (let call = 0; call < calls.warm + calls.measured; call++) {
      if (call === calls.warm) limit(child.pid, memoryMb);
      let exchange = await connection.exchange(request);
      // The demo account's limit of calls per minute.
      for (let waits = 0; exchange.status === 429 && waits < 15; waits++) {
        await setTimeout(5_000);
        exchange = await connection.exchange(request);
      }
      if (exchange.status >= 300 && exchange.status !== 400)
        throw new Error(`${name}: ${exchange.status} ${exchange.body.toString()}`);
      if (call >= calls.warm) exchanges.push(exchange);
    }
    const [firstByteMs, totalMs] = (['firstByteMs', 'totalMs'] as const).map((of) =>
      median(exchanges.map((one) => one[of])),
    );
    return { firstByteMs: firstByteMs ?? 0, totalMs: totalMs ?? 0, peakMb: peakMb(child.pid) };
  } finally {
    connection.close();
    await child.close();
    if (existsSync(group)) rmdirSync(group);
  }
}

try {
  const all = await workloads();
  for (const { id } of new Set(all.map(({ route }) => route))) bundle(routeEntry(id), join(folder, id));
  console.log(`| Function | ${sizesMb.map((mb) => `${mb} MB: first byte, whole, USD, peak MB`).join(' | ')} |`);
  for (const workload of all) {
    const rows: Row[] = [];
    for (const memoryMb of sizesMb) rows.push(await measure(workload, memoryMb));
    const cells = rows.map(({ firstByteMs, totalMs, peakMb: peak }, index) => {
      const usd = ((3 + totalMs / 1000) * (sizesMb[index] ?? 0) * listPrices.functionGbSecond * 1e6) / 1024;
      return `${firstByteMs.toFixed(1)}, ${totalMs.toFixed(1)}, ${usd.toFixed(2)}, ${peak.toFixed(0)}`;
    });
    console.log(`| ${workload.name} | ${cells.join(' | ')} |`);
  }
} finally {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
}
