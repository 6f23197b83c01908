import { type ExecFileException, execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';

const slow = { timeout: 240_000 };
let copy: string;

/** Runs a command in the copy; resolves with its exit code and what it printed. */
function run(program: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|TEST)/.test(name)));
  const { promise, resolve: done } = Promise.withResolvers<{ code: number; output: string }>();
  const ended = (error: ExecFileException | null, out: string, err: string) =>
    done({ code: error ? Number(error.code) : 0, output: out + err });
  execFile(program, args, { cwd: copy, env }, ended);
  return promise;
}

const newEndpoint = (...args: string[]) => run(process.execPath, 'bin/new-endpoint.ts', ...args);

beforeAll(async () => {
  copy = await testFolder();
  const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n').filter(Boolean);
  for (const path of tracked.filter((path) => existsSync(path))) await cp(path, join(copy, path));
  await symlink(resolve('node_modules'), join(copy, 'node_modules'));
}, slow.timeout);
afterAll(() => removeFolder(copy));

describe('npm run new:endpoint', () => {
  it(
    'writes an endpoint that passes the type check, and a test that fails where it is to be written',
    slow,
    async () => {
      expect(await newEndpoint('sum-up')).toMatchObject({ code: 0 });
      for (const project of ['.', 'dashboard'])
        expect(await run('node_modules/.bin/tsc', '-p', project)).toEqual({ code: 0, output: '' });
      const { code, output } = await run(
        'node_modules/.bin/vitest',
        'run',
        'test/api/inference/sum-up.test.ts',
        '--no-color',
      );
      expect(code).toBe(1);
      expect(output).toContain("expected [ 500, 'INTERNAL_ERROR' ] to deeply equal [ 200, 'SUCCESS' ]");
    },
  );

  it.each([
    [['translate'], 1, 'there is an operation translate already'],
    [['Sum Up'], 2, 'Usage: npm run new:endpoint'],
    [['sum-up', '--service', 'chat'], 2, 'Usage: npm run new:endpoint'],
  ])('writes nothing for %j', async (args, code, message) => {
    const ran = await newEndpoint(...args);
    expect(ran.code).toBe(code);
    expect(ran.output).toContain(message);
  });
});
