import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { startBenchDatabase } from './shared/database.ts';
import { onGatewayProcessor, pinClients } from './shared/processes.ts';

/**
 * Measures how soon 1,000 due deliveries are sent, and compares their CPU time with that of bare signed POST requests.
 */
const count = 1000;
const rounds = 3;

/** Output of the deliverer: the time at which the deliveries became due (epoch ms), and CPU times per request in ms. */
const Result = v.object({ dueAt: v.number(), deliveryMs: v.number(), postMs: v.number() });

const arrivals = new Map<string, number>();
const receiver = createServer((request, response) => {
  const { 'webhook-id': id } = request.headers;
  if (typeof id === 'string') arrivals.set(id, performance.timeOrigin + performance.now());
  request.resume().once('end', () => response.writeHead(204).end());
});
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const { port } = v.parse(v.object({ port: v.number() }), receiver.address());

pinClients();
const database = await startBenchDatabase();
const program = join(import.meta.dirname, 'gateways/deliverer.ts');
const parameters = [database.url, `http://127.0.0.1:${port}/`, String(count)];
const [node = '', ...args] = onGatewayProcessor([process.execPath, program, ...parameters]);
const run = promisify(execFile);

try {
  for (let round = 1; round <= rounds; round++) {
    arrivals.clear();
    const { stdout } = await run(node, args, { maxBuffer: 256 * 1024 * 1024 });
    const { dueAt, deliveryMs, postMs } = v.parse(Result, JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
    const due = [...arrivals].filter(([id]) => id.startsWith('evt_due_'));
    const seconds = due.map(([, at]) => (at - dueAt) / 1000).toSorted((one, other) => one - other);
    if (seconds.length !== count) throw new Error(`${seconds.length} of ${count} deliveries arrived`);
    const [median = 0, worst = 0] = [seconds[count / 2], seconds.at(-1)];
    const left = `left after ${median.toFixed(2)} s at the median and ${worst.toFixed(2)} s at worst`;
    const each = `${deliveryMs.toFixed(2)} ms of CPU time each, a bare signed POST ${postMs.toFixed(2)} ms`;
    console.log(`round ${round}: ${count} due ${left}; ${each}, ${(deliveryMs / postMs).toFixed(1)} times as much`);
  }
} finally {
  receiver.closeAllConnections();
  receiver.close();
  await database.close();
}
