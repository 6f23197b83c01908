import { chmod, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDataFolder } from '#local/shared/data-folder.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { killCommands, runLocal } from '#test/service/local-command.ts';

let parent: string;
let folder: string;
let before: number;
beforeEach(async () => {
  // The processes started by the tests inherit it: files are open to all unless the service restricts them.
  before = process.umask(0);
  parent = await testFolder();
  folder = join(parent, 'data');
});
afterEach(async () => {
  process.umask(before);
  await killCommands();
  await removeFolder(parent);
});

const modeOf = async (path: string): Promise<string> => ((await lstat(path)).mode & 0o777).toString(8);

/** Every file below the folder with its mode. The folder itself is `.`. */
async function modes(): Promise<Record<string, string>> {
  const names = ['.', ...(await readdir(folder, { recursive: true }))];
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await modeOf(join(folder, name))])));
}

function expectPrivate(found: Record<string, string>): void {
  const { '.': itself, ...files } = found;
  expect(itself).toBe('700');
  expect(Object.keys(files)).toEqual(
    expect.arrayContaining([
      'clock.json',
      'demo.json',
      'dynamodb.sqlite',
      'dynamodb.sqlite-wal',
      'mails.jsonl',
      'queues.sqlite',
      'service.lock',
    ]),
  );
  expect(files).toEqual(Object.fromEntries(Object.keys(files).map((name) => [name, '600'])));
}

/** A service that has written all of its files: emails, clock, checkpoints. */
async function busyService() {
  const command = runLocal(['--port', '0', '--data', folder]);
  const origin = await command.ready;
  await fetch(`${origin}/_local/clock`, { method: 'POST', body: '{"advance":"PT1M"}' });
  return command;
}

describe('the local data folder', () => {
  it('is closed to other users with any umask and earlier file modes, even after kill -9', async () => {
    const first = await busyService();
    expectPrivate(await modes());
    first.kill('SIGKILL');
    await first.ended;
    const found = await modes();
    expectPrivate(found);
    for (const name of Object.keys(found)) await chmod(join(folder, name), name === '.' ? 0o777 : 0o666);
    const second = await busyService();
    expectPrivate(await modes());
    expect(second.err()).toBe('');
  });

  it('restricts only its own files if it contains others, and reports that', async () => {
    await mkdir(folder, { mode: 0o755 });
    await mkdir(join(folder, 'photos'), { mode: 0o755 });
    await writeFile(join(folder, 'package.json'), '{}', { mode: 0o644 });
    const command = await busyService();
    const { '.': itself, photos, 'package.json': foreign, ...ours } = await modes();
    expect([itself, photos, foreign]).toEqual(['755', '755', '644']);
    expect(new Set(Object.values(ours))).toEqual(new Set(['600']));
    expect(command.err()).toMatch(
      /^The data folder .* is open to other users of this machine and contains other files: [^\n]+\n$/,
    );
  });

  it('is not followed through a symbolic link to a file elsewhere', async () => {
    const elsewhere = join(parent, 'elsewhere.json');
    await writeFile(elsewhere, '{"offsetMs":0}', { mode: 0o644 });
    await mkdir(folder, { mode: 0o755 });
    await symlink(elsewhere, join(folder, 'clock.json'));
    await openDataFolder(folder, () => undefined);
    expect((await stat(elsewhere)).mode & 0o777).toBe(0o644);
  });
});

describe('the demo account', () => {
  const demoIn = async (path: string) => JSON.parse(await readFile(join(path, 'demo.json'), 'utf8'));

  it('has its own password in each data folder, and keeps it after an interrupted creation', async () => {
    const second = join(parent, 'second');
    const commands = [folder, second].map((data) => runLocal(['--port', '0', '--data', data]));
    await Promise.all(commands.map(({ ready }) => ready));
    const [one, other] = [await demoIn(folder), await demoIn(second)];
    expect(one.password).toMatch(/^[\w-]{16}$/);
    expect(other.password).not.toBe(one.password);
    expect(commands[0]!.out()).toContain(one.password);
    commands[0]!.kill('SIGKILL');
    await commands[0]!.ended;
    await writeFile(join(folder, 'demo.json'), JSON.stringify({ ...one, apiKey: null }));
    const again = runLocal(['--port', '0', '--data', folder]);
    const { demo } = (await (await fetch(`${await again.ready}/_local/status`)).json()) as { demo: typeof one };
    expect(demo).toEqual({ ...one, apiKey: expect.stringMatching(/^tai_/) });
    expect(demo.apiKey).not.toBe(one.apiKey);
    expect(again.err()).toBe('');
  });
});

describe('a damaged database', () => {
  const database = () => join(folder, 'dynamodb.sqlite');

  /** The files of a service that had time to checkpoint its write-ahead log into the database. */
  async function closedService(): Promise<{ password: string; apiKey: string }> {
    const command = await busyService();
    command.kill('SIGTERM');
    await command.ended;
    return JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8'));
  }

  it('is reported at the start without secrets, and the service starts after the suggested fix', async () => {
    const secrets = Object.values(await closedService());
    const bytes = await readFile(database());
    await writeFile(database(), bytes.fill(0xa5, bytes.length - 8 * 4096));
    const failing = runLocal(['--port', '0', '--data', folder]);
    expect(await failing.ended).toBe(1);
    expect(failing.err()).toBe(
      `The database ${database()} is damaged. Move the folder ${folder} away to start with an empty one, or choose another with --data DIR.\n`,
    );
    for (const secret of secrets) expect(failing.err() + failing.out()).not.toContain(secret);
    await rename(folder, `${folder}.damaged`);
    const next = runLocal(['--port', '0', '--data', folder]);
    await next.ready;
    expect(next.err()).toBe('');
  });

  it('that was deleted is replaced by a new one with a new demo account, and no token is printed', async () => {
    await closedService();
    const mails = await readFile(join(folder, 'mails.jsonl'), 'utf8');
    const tokens = [...mails.matchAll(/token=(\w+)/g)].map(([, token]) => token!);
    expect(tokens.length).toBeGreaterThan(0);
    await rm(database());
    const next = runLocal(['--port', '0', '--data', folder]);
    await next.ready;
    expect(next.err()).toBe('');
    for (const token of tokens) expect(next.out()).not.toContain(token);
  });
});
