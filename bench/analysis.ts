import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routeEntry } from '#contract/handlers.ts';
import { bundle } from '#lib/constructs/function-code.ts';
import { type Arm, oursArm, startOurs, startUpstream } from './shared/arms.ts';
import { benchAccounts } from './shared/database.ts';
import { analysisBody, chatBody, Load, median } from './shared/load.ts';
import { type Child, pinClients } from './shared/processes.ts';

/**
 * Compares the CPU time of an analysis with that of a chat call, without the model. Goal: at most twice as much for a
 * text that fits the model's window.
 */
const rounds = 5;
const seconds = 4;
const connections = 8;
const warmSeconds = 8;

const folder = mkdtempSync(join(tmpdir(), 'bench-analysis-'));
for (const id of ['create-chat-completion', 'analyze']) bundle(routeEntry(id), join(folder, id));

const children: Child[] = [];
pinClients();
try {
  const upstream = await startUpstream();
  children.push(upstream);
  const ours = await startOurs(folder, upstream, `http://127.0.0.1:${upstream.port}`);
  children.push(ours);
  const chat = oursArm(ours, benchAccounts(200));
  const analysis: Arm = { ...chat, path: '/api/ai/analyze' };
  const small = { size: '0.25 KB', stream: false } as const;
  const loads = [
    { what: 'chat, 0.25 KB', load: new Load(chat, small, chatBody('0.25 KB', false)) },
    ...[250, 1000, 2500, 5000].map((characters) => ({
      what: `analysis, ${characters} characters`,
      load: new Load(analysis, small, analysisBody(characters)),
    })),
    { what: 'analysis, 5000 Chinese characters', load: new Load(analysis, small, analysisBody(5000, 'Chinese')) },
  ].map((each) => ({ ...each, processorMs: new Array<number>() }));
  for (const { load } of loads) await load.busy(connections, warmSeconds);
  for (let round = 0; round < rounds; round += 1) {
    for (const { load, processorMs, what } of loads) {
      const busy = await load.busy(connections, seconds);
      if (busy.refused > 0) throw new Error(`${what}: ${busy.refused} calls were refused`);
      processorMs.push(busy.processorMs);
    }
  }
  const [chats] = loads.map(({ processorMs }) => median(processorMs));
  for (const { what, processorMs } of loads) {
    const ms = median(processorMs);
    console.log(`${what}: ${ms.toFixed(2)} ms of CPU time each, ${(ms / (chats ?? ms)).toFixed(2)} times a chat's`);
  }
} finally {
  for (const child of children) await child.close();
  rmSync(folder, { recursive: true, force: true });
}
