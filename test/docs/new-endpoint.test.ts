import { type ExecFileException, execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { atLength, patience } from '#test/many.ts';

const slow = { timeout: 240_000 };
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** The parts of `npm run check`, except for the linter, which checks only the new files. */
const checks = (scripts['check'] ?? '')
  .split(' && ')
  .map((part) => part.replace('npm run ', ''))
  .filter((part) => part !== 'check:lint');

let copy: string;

/** Runs a command in the copy. Resolves with its exit code and output. */
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
  const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
  for (const path of tracked.filter((path) => existsSync(path))) await cp(path, join(copy, path));
  await symlink(resolve('node_modules'), join(copy, 'node_modules'));
}, slow.timeout);
afterAll(() => removeFolder(copy));

describe('npm run new:endpoint', () => {
  let written: string[];
  it('writes six files that compile', slow, async () => {
    const made = await newEndpoint('sum-up');
    expect(made.code).toBe(0);
    written = made.output.split('\n').filter((line) => /^\S+\.ts$/.test(line));
    expect(written).toHaveLength(6);
    const include = [...written, 'functions/**/*.d.ts', 'local/**/*.d.ts', 'test/**/*.d.ts'];
    await writeFile(join(copy, 'tsconfig.new.json'), JSON.stringify({ extends: './tsconfig.json', include }));
    expect(await run('node_modules/.bin/tsc', '-p', 'tsconfig.new.json')).toMatchObject({ code: 0 });
  });

  it.skipIf(atLength(true, false))(
    'writes an endpoint that passes npm run check, and a test that fails until it is completed',
    { timeout: patience },
    async () => {
      expect(checks).toEqual(
        expect.arrayContaining(['check:format', 'check:imports', 'check:unused', 'check:openapi']),
      );
      for (const check of checks)
        expect([check, await run('npm', 'run', '--silent', check)]).toMatchObject([check, { code: 0 }]);
      const linted = await run('node_modules/.bin/oxlint', '--type-aware', '--deny-warnings', ...written);
      expect(linted).toMatchObject({ code: 0 });
      const test = ['run', '--project=service', 'test/api/inference/sum-up.test.ts', '--no-color'];
      const { code, output } = await run('node_modules/.bin/vitest', ...test);
      expect(code).toBe(1);
      expect(output).toContain("expected [ 500, 'INTERNAL_ERROR' ] to deeply equal [ 200, 'SUCCESS' ]");
    },
  );

  it.each([
    [['translate'], 1, 'the operation translate already exists'],
    [['Sum Up'], 2, 'Usage: npm run new:endpoint'],
    [['other', '--service', 'chat'], 2, 'Usage: npm run new:endpoint'],
  ])('writes nothing for %j', async (args, code, message) => {
    const ran = await newEndpoint(...args);
    expect(ran.code).toBe(code);
    expect(ran.output).toContain(message);
  });
});
