import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Loopback } from '#local/shared/loopback.ts';
import { attackers, type Target } from '#test/attacks/attackers.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { atLength } from '#test/many.ts';
import { startHostileModel } from '#test/models/hostile/hostile-model.ts';
import { residentMegabytes } from '#test/process-usage.ts';
import { killCommands, type LocalCommand, runLocal } from '#test/service/local-command.ts';

/** The time from one attacker's first request to the next attacker's. */
const arrivalMs = 300;

/** Runs all attacks concurrently for the given minutes. `npm run test:long` runs them for an hour. */
const minutes = Number(process.env['ATTACK_MINUTES'] ?? atLength(0, 60));

let folder: string;
let model: Loopback;
let service: LocalCommand;
let target: Target;

beforeAll(async () => {
  if (minutes === 0) return;
  [folder, model] = await Promise.all([testFolder(), startHostileModel()]);
  service = runLocal(['--port', '0', '--data', folder, '--model-url', `${model.url}/v1`]);
  const origin = await service.ready;
  const status = (await (await fetch(`${origin}/_local/status`)).json()) as { demo: { apiKey: string } };
  target = { origin, key: status.demo.apiKey };
});
afterAll(async () => {
  await killCommands();
  await model?.close();
  if (folder) await removeFolder(folder);
});

/** A customer's call of a well-behaved model, with its duration in milliseconds. */
async function customerCall(): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${target.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] }),
    signal: AbortSignal.timeout(10_000),
  });
  expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ message: 'SUCCESS' })]);
  return performance.now() - began;
}

describe.runIf(minutes > 0)('an hour of all attacks', () => {
  it(
    'leaves the service responding to customers within a second, in less than 500 MB',
    {
      timeout: (minutes + 5) * 60_000,
    },
    async () => {
      const end = performance.now() + minutes * 60_000;
      const isOver = () => performance.now() >= end;
      const attacks = Promise.all(
        attackers.map(async (attack, index) => {
          await sleep(index * arrivalMs);
          return { name: attack.name, ...(await repeated(attack, isOver)) };
        }),
      );
      const waits: number[] = [];
      let peakMegabytes = 0;
      while (!isOver()) {
        waits.push(await customerCall());
        peakMegabytes = Math.max(peakMegabytes, await residentMegabytes(service.pid));
        await sleep(500);
      }
      const made = await attacks;
      waits.sort((one, other) => one - other);
      const at = (share: number) => Math.round(waits[Math.floor((waits.length - 1) * share)] ?? 0);
      console.table({
        calls: waits.length,
        p50: at(0.5),
        p99: at(0.99),
        slowest: at(1),
        peakMegabytes: Math.round(peakMegabytes),
      });
      console.table(made);
      expect(made.filter(({ rounds, serverErrors }) => rounds === 0 || serverErrors > 0)).toEqual([]);
      expect(at(1)).toBeLessThan(1000);
      expect(peakMegabytes).toBeLessThan(500);
    },
  );
});

/** The rounds of one attacker in sequence: at most one per second. */
async function repeated(attack: (target: Target, round: number) => Promise<number>, isOver: () => boolean) {
  let [rounds, serverErrors] = [0, 0];
  for (; !isOver(); await sleep(1000)) {
    const status = await attack(target, rounds).catch(() => 0);
    rounds += 1;
    if (status === 500) serverErrors += 1;
  }
  return { rounds, serverErrors };
}
