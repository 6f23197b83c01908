import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder } from '#test/folder.ts';
import { chat } from '#test/service/service.ts';

let folder: string;
let port: number;
let running: ChildProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platform-'));
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  port = (probe.address() as AddressInfo).port;
  probe.close();
});
afterAll(async () => {
  running?.kill('SIGKILL');
  await removeFolder(folder);
});

interface Status {
  ready: boolean;
  demo: { email: string; password: string; apiKey: string };
}

async function start(): Promise<Status> {
  const argv = ['bin/local.ts', '--port', String(port), '--data', folder];
  running = spawn(process.execPath, argv, { stdio: 'ignore', env: { ...process.env, SCRYPT_LOG2_N: '12' } });
  for (let tries = 0; tries < 200; tries++) {
    const status = await fetch(`http://127.0.0.1:${port}/_local/status`).then(
      (reply) => reply.json(),
      () => undefined,
    );
    if ((status as Status | undefined)?.ready) return status as Status;
    await sleep(100);
  }
  throw new Error('the service did not start');
}

async function kill(): Promise<void> {
  const exit = once(running!, 'exit');
  running?.kill('SIGKILL');
  await exit;
}

async function complete(key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(chat()) };
  const reply = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, init);
  expect(reply.status).toBe(200);
  await reply.text();
  return Number(reply.headers.get('x-credits-remaining'));
}

describe('kill -9 of the running service', () => {
  it('loses no account, no key and no charge, and the same data can be served again', async () => {
    const { demo } = await start();
    const left = [await complete(demo.apiKey), await complete(demo.apiKey)];
    await kill();
    const again = await start();
    expect(again.demo).toEqual(demo);
    left.push(await complete(demo.apiKey));
    expect(left.map((credits) => left[0]! - credits)).toEqual([0, 1, 2]);
  });
});
