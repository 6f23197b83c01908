import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { bearer, call, chat, newFolder } from '#test/service/local-calls.ts';
import { killCommands, processesWith, runLocal } from '#test/service/local-command.ts';

const demoOf = async (folder: string) => JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8'));

const slowCompletion = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'late but whole' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 },
};

describe('the command', () => {
  afterEach(killCommands);

  test('prints a line that works when it is pasted into bash, ends with 0 on SIGTERM, and leaves nothing running', async () => {
    const folder = await newFolder();
    const command = runLocal(['--port', '0', '--data', folder]);
    await command.ready;
    const line = /^curl .*$/m.exec(command.out())![0];
    const { stdout } = await promisify(execFile)('bash', ['-c', line]);
    expect(JSON.parse(stdout).message).toBe('SUCCESS');
    await expect.poll(() => command.out()).toMatch(/^POST \/v1\/chat\/completions 200 \d+ ms$/m);
    command.kill('SIGTERM');
    expect(await command.ended).toBe(0);
    expect(command.err()).toBe('');
    await expect.poll(() => processesWith(folder)).toEqual([]);
  });

  test('ends within 5 s of SIGTERM while jobs catch up after centuries, and continues at the next start', async () => {
    const folder = await newFolder();
    const command = runLocal(['--port', '0', '--data', folder]);
    const origin = await command.ready;
    const register = (index: number) =>
      call(origin, 'POST', '/api/auth/register', {
        email: `person-${index}@example.com`,
        name: 'Person',
        password_hash: 'a quiet river bank',
      });
    for (let index = 0; index < 60; index += 4) await Promise.all([0, 1, 2, 3].map((add) => register(index + add)));
    const move = call(origin, 'POST', '/_local/clock', { advance: 'P800Y' });
    await sleep(2000);
    const stoppedAt = performance.now();
    command.kill('SIGTERM');
    expect((await move).json).toEqual({ now: expect.any(String), done: false });
    expect(await command.ended).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(5000);
    await expect.poll(() => processesWith(folder)).toEqual([]);
    const again = runLocal(['--port', '0', '--data', folder]);
    expect((await call(await again.ready, 'GET', '/_local/status')).status).toBe(200);
  }, 90_000);

  test('lets a request under way complete before it ends', async () => {
    const slow = createServer((_request, response) => {
      setTimeout(
        () => response.setHeader('content-type', 'application/json').end(JSON.stringify(slowCompletion)),
        1000,
      );
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const { port } = slow.address() as { port: number };
    const arrived = once(slow, 'request');
    const folder = await newFolder();
    const command = runLocal([
      '--port',
      '0',
      '--data',
      folder,
      '--model-url',
      `http://127.0.0.1:${port}/v1`,
      '--model-name',
      'm',
    ]);
    const origin = await command.ready;
    const response = call(origin, 'POST', '/v1/chat/completions', chat, bearer((await demoOf(folder)).apiKey));
    await arrived;
    command.kill('SIGINT');
    command.kill('SIGTERM'); // npm and the terminal both send one: within half a second they count as one
    expect((await response).json.data.choices[0].message.content).toBe('late but whole');
    expect(await command.ended).toBe(0);
    slow.close();
  });

  test('killed with SIGKILL leaves nothing running, and starts again on the same data with the same account and time', async () => {
    const folder = await newFolder();
    const first = runLocal(['--port', '0', '--data', folder]);
    const { json } = await call(await first.ready, 'POST', '/_local/clock', { advance: 'P1Y' });
    first.kill('SIGKILL');
    await expect.poll(() => processesWith(folder), { timeout: 2000 }).toEqual([]);
    const demo = await demoOf(folder);
    const second = runLocal(['--port', '0', '--data', folder]);
    const origin = await second.ready;
    expect((await call(origin, 'GET', '/_local/status')).json.demo).toEqual(demo);
    expect((await call(origin, 'GET', '/_local/clock')).json.now > json.now).toBe(true);
    expect((await call(origin, 'GET', '/v1/models', undefined, bearer(demo.apiKey))).status).toBe(200);
  });

  test('makes the demo account a new key when the old one is lost or revoked, and finishes one left half-way', async () => {
    const folder = await newFolder();
    const restart = async (): Promise<string> => {
      const command = runLocal(['--port', '0', '--data', folder]);
      const origin = await command.ready;
      const { apiKey } = (await call(origin, 'GET', '/_local/status')).json.demo;
      expect((await call(origin, 'POST', '/v1/chat/completions', chat, bearer(apiKey))).status).toBe(200);
      const login = await call(origin, 'POST', '/api/auth/login', await demoOf(folder));
      const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!;
      const keys = (await call(origin, 'GET', '/api/keys', undefined, { cookie })).json.data;
      for (const { id } of keys) await call(origin, 'DELETE', `/api/keys/${id}`, undefined, { cookie });
      command.kill('SIGKILL');
      await command.ended;
      return apiKey;
    };
    const first = await restart();
    const second = await restart();
    await rm(join(folder, 'demo.json'));
    expect(new Set([first, second, await restart()]).size).toBe(3);
  });

  test('ends with a sentence when its database dies', async () => {
    const folder = await newFolder();
    const command = runLocal(['--port', '0', '--data', folder]);
    await command.ready;
    const pids = (await processesWith(join(folder, 'dynamodb.sqlite'))).sort((a, b) => a - b);
    process.kill(pids[0]!, 'SIGKILL');
    expect(await command.ended).toBe(1);
    expect(command.err()).toMatch(/^The embedded database exited unexpectedly .*\n$/);
    await expect.poll(() => processesWith(folder)).toEqual([]);
  });

  test('prints its options with --help', async () => {
    const command = runLocal(['--help']);
    expect(await command.ended).toBe(0);
    expect(command.out()).toContain('--model-url');
  });

  test('reports a port in use, and a folder in use, in one sentence', async () => {
    const folder = await newFolder();
    const port = new URL(await runLocal(['--port', '0', '--data', folder]).ready).port;
    const [samePort, sameData] = [
      runLocal(['--port', port, '--data', await newFolder()]),
      runLocal(['--port', '0', '--data', folder]),
    ];
    expect([await samePort.ended, await sameData.ended]).toEqual([1, 1]);
    expect(samePort.err()).toBe(
      `Port ${port} is in use by another program. Stop that program, or choose another port with --port PORT.\n`,
    );
    expect(sameData.err()).toMatch(/^The data folder .* is in use by the service with process id \d+\. .*\n$/);
  });

  test('reports a data folder it cannot use, and a damaged file in it, in one sentence', async () => {
    const folder = await newFolder();
    const file = join(folder, 'file');
    await writeFile(file, '');
    for (const data of [file, join(file, 'below')]) {
      const command = runLocal(['--port', '0', '--data', data]);
      expect(await command.ended).toBe(1);
      expect(command.err()).toBe(
        `The data folder ${data} is not a directory, or lies under a file. Choose another with --data DIR.\n`,
      );
    }
    for (const name of ['clock.json', 'mails.jsonl', 'dynamodb.sqlite', 'identity-key.json']) {
      const data = await newFolder();
      await writeFile(join(data, name), 'damaged\n'.repeat(100));
      const command = runLocal(['--port', '0', '--data', data]);
      expect(await command.ended).toBe(1);
      expect(command.err()).toMatch(/^The [^\n]+\.\n$/);
      expect(command.err()).toContain(join(data, name));
      await expect.poll(() => processesWith(data)).toEqual([]);
    }
  });

  test('reports an unknown flag with exit code 2', async () => {
    const command = runLocal(['--colour']);
    expect(await command.ended).toBe(2);
    expect(command.err()).toBe("Unknown option '--colour'. Run npm start -- --help to see the options.\n");
  });
});
