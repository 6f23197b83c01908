import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '#local/start/service.ts';
import { seed, someOf } from '#test/many.ts';
import { bearer, call, chat, newFolder } from '#test/service/local-calls.ts';
import { killCommands, type LocalCommand, processesWith, runLocal } from '#test/service/local-command.ts';

const demoOf = async (folder: string) => JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8'));

const slowCompletion = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'late but whole' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 },
};

const start = (folder: string, ...more: string[]) => runLocal(['--port', '0', '--data', folder, ...more]);

describe('npm start', () => {
  afterAll(killCommands);

  describe('while it runs', () => {
    let folder: string;
    let command: LocalCommand;
    let origin: string;
    beforeAll(async () => {
      folder = await newFolder();
      command = start(folder);
      origin = await command.ready;
    });

    test('prints a curl command that works in bash, and logs its request', async () => {
      const line = /^curl .*$/m.exec(command.out())![0];
      const { stdout } = await promisify(execFile)('bash', ['-c', line]);
      expect(JSON.parse(stdout).message).toBe('SUCCESS');
      await expect.poll(() => command.out()).toMatch(/^POST \/v1\/chat\/completions 200 \d+ ms$/m);
      expect(command.err()).toBe('');
    });

    test('refuses its port and its data folder to a second service, each in one sentence', async () => {
      const { port } = new URL(origin);
      const [samePort, sameData] = [runLocal(['--port', port, '--data', await newFolder()]), start(folder)];
      expect([await samePort.ended, await sameData.ended]).toEqual([1, 1]);
      expect(samePort.err()).toBe(
        `Port ${port} is in use by another program. Stop that program, or choose another port with --port PORT.\n`,
      );
      expect(sameData.err()).toMatch(/^The data folder .* is in use by the service with process id \d+\. .*\n$/);
    });

    test('exits with a sentence if its database crashes', async () => {
      const pids = (await processesWith(join(folder, 'dynamodb.sqlite'))).sort((a, b) => a - b);
      process.kill(pids[0]!, 'SIGKILL');
      expect(await command.ended).toBe(1);
      expect(command.err()).toMatch(/^The embedded database exited unexpectedly .*\n$/);
      await expect.poll(() => processesWith(folder)).toEqual([]);
    });
  });

  test('names the variable of an API key that an offer needs and that is not set', async () => {
    const command = start(await newFolder(), '--offer', 'examples/offers/open-models.json');
    await command.ready;
    await expect
      .poll(() => command.out())
      .toMatch(/^ {2}Missing {4}ACME_MODELS is not set; calls that need it return 503$/m);
    command.kill('SIGKILL');
  }, 60_000);

  test('ends within 5 s of SIGTERM while jobs catch up after centuries, and continues at the next start', async () => {
    const folder = await newFolder();
    const command = start(folder);
    const origin = await command.ready;
    const register = (index: number) =>
      call(origin, 'POST', '/api/auth/register', {
        email: `person-${index}@example.com`,
        name: 'Person',
        password_hash: 'a quiet river bank',
      });
    for (let index = 0; index < 20; index += 4) await Promise.all([0, 1, 2, 3].map((add) => register(index + add)));
    const move = call(origin, 'POST', '/_local/clock', { advance: 'P800Y' });
    await sleep(1000);
    const stoppedAt = performance.now();
    command.kill('SIGTERM');
    expect((await move).json).toEqual({ now: expect.any(String), done: false });
    expect(await command.ended).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(5000);
    await expect.poll(() => processesWith(folder)).toEqual([]);
    const again = await startService({ port: 0, data: folder, log: () => undefined });
    expect((await call(again.origin, 'GET', '/_local/status')).status).toBe(200);
    await again.close();
  }, 90_000);

  test('lets a running request complete before it exits', async () => {
    const slow = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      setTimeout(() => response.end(JSON.stringify(slowCompletion)), 1000);
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const { port } = slow.address() as { port: number };
    const arrived = once(slow, 'request');
    const folder = await newFolder();
    const command = start(folder, '--model-url', `http://127.0.0.1:${port}/v1`, '--model-name', 'm');
    const origin = await command.ready;
    const response = call(origin, 'POST', '/v1/chat/completions', chat, bearer((await demoOf(folder)).apiKey));
    await arrived;
    command.kill('SIGINT');
    command.kill('SIGTERM'); // npm and the terminal both send one: within half a second they count as one
    expect((await response).json.data.choices[0].message.content).toBe('late but whole');
    expect(await command.ended).toBe(0);
    expect(command.err()).toBe('');
    slow.close();
  });

  test('starts again after SIGKILL with the same account and time, and with a new key if the old one is lost or revoked', async () => {
    const folder = await newFolder();
    async function stateOf(origin: string) {
      const { demo } = (await call(origin, 'GET', '/_local/status')).json;
      const { now } = (await call(origin, 'GET', '/_local/clock')).json;
      expect((await call(origin, 'POST', '/v1/chat/completions', chat, bearer(demo.apiKey))).status).toBe(200);
      return { demo, now };
    }
    const command = start(folder);
    const first = await stateOf(await command.ready);
    const moved = await call(await command.ready, 'POST', '/_local/clock', { advance: 'P1Y' });
    command.kill('SIGKILL');
    await expect.poll(() => processesWith(folder), { timeout: 2000 }).toEqual([]);

    /** Starts the service in this process, and stops it after the work. */
    async function restart(work: (origin: string) => Promise<void> = async () => undefined) {
      const service = await startService({ port: 0, data: folder, log: () => undefined });
      const state = await stateOf(service.origin);
      await work(service.origin);
      await service.close();
      return state;
    }
    const second = await restart(async (origin) => {
      const login = await call(origin, 'POST', '/api/auth/login', first.demo);
      const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!;
      const keys = (await call(origin, 'GET', '/api/keys', undefined, { cookie })).json.data;
      for (const { id } of keys) await call(origin, 'DELETE', `/api/keys/${id}`, undefined, { cookie });
    });
    expect(second.demo).toEqual(first.demo);
    expect(second.now > moved.json.now).toBe(true);
    const third = await restart();
    await rm(join(folder, 'demo.json'));
    const fourth = await restart();
    expect(new Set([second, third, fourth].map(({ demo }) => demo.apiKey)).size).toBe(3);
  }, 90_000);

  test('reports a damaged file in its data folder in one sentence', async () => {
    console.log(`damaged file of seed ${seed}`);
    for (const name of someOf(['clock.json', 'mails.jsonl', 'identity-key.json'], 1, seed)) {
      const data = await newFolder();
      await writeFile(join(data, name), 'damaged\n'.repeat(100));
      const command = start(data);
      expect(await command.ended).toBe(1);
      expect(command.err()).toMatch(/^The [^\n]+\.\n$/);
      expect(command.err()).toContain(join(data, name));
      await expect.poll(() => processesWith(data)).toEqual([]);
    }
  });

  test('prints its options with --help, and exits 2 for an unknown flag', async () => {
    const [help, unknown] = [runLocal(['--help']), runLocal(['--colour'])];
    expect([await help.ended, await unknown.ended]).toEqual([0, 2]);
    expect(help.out()).toContain('--model-url');
    expect(unknown.err()).toBe("Unknown option '--colour'. Run npm start -- --help to see the options.\n");
  });
});
