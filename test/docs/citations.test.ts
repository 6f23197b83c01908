import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anchorsOf, citations, commands, unresolvable } from '#test/docs/citations.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

describe('what a comment or a page points to', () => {
  it('is a file of the repository', () => {
    expect(citations.length).toBeGreaterThan(200);
    expect(citations.filter(({ path }) => !existsSync(path))).toEqual([]);
  });

  it('is a heading of that file, where one is named', () => {
    const withAnchor = citations.filter(({ path, anchor }) => anchor !== undefined && existsSync(path));
    expect(withAnchor.length).toBeGreaterThan(60);
    expect(withAnchor.filter(({ path, anchor }) => !anchorsOf(path).has(anchor!))).toEqual([]);
  });

  it('is a command that there is', () => {
    expect(commands.length).toBeGreaterThan(20);
    const missing = commands.filter(({ script, file }) => (script ? !(script in scripts) : !existsSync(file ?? '')));
    expect(missing).toEqual([]);
  });

  it('is never a page that the repository does not hold', () => {
    expect(citations.filter(({ path }) => path.startsWith('..'))).toEqual([]);
    expect(unresolvable).toEqual([]);
  });
});
