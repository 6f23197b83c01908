import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder } from '#test/folder.ts';
import { killCommands, type LocalCommand, runLocal } from '#test/service/local-command.ts';
import { chat } from '#test/service/service.ts';

let folder: string;
let running: LocalCommand;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platform-'));
});
afterAll(async () => {
  await killCommands();
  await removeFolder(folder);
});

interface Status {
  demo: { email: string; password: string; apiKey: string };
}

async function start(): Promise<Status> {
  running = runLocal(['--port', '0', '--data', folder]);
  const status = await fetch(`${await running.ready}/_local/status`);
  return (await status.json()) as Status;
}

async function kill(): Promise<void> {
  running.kill('SIGKILL');
  await running.ended;
}

async function complete(key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(chat()) };
  const reply = await fetch(`${await running.ready}/v1/chat/completions`, init);
  expect(reply.status).toBe(200);
  await reply.text();
  return Number(reply.headers.get('x-credits-remaining'));
}

describe('kill -9 of the running service', () => {
  it('loses no account, key or charge, and the service restarts with the same data', async () => {
    const { demo } = await start();
    const left = [await complete(demo.apiKey), await complete(demo.apiKey)];
    await kill();
    const again = await start();
    expect(again.demo).toEqual(demo);
    left.push(await complete(demo.apiKey));
    expect(left.map((credits) => left[0]! - credits)).toEqual([0, 1, 2]);
  });
});
