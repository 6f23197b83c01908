import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { citedTests } from '#test/docs/citations.ts';

const page = readFileSync('docs/security.md', 'utf8');

/** The rows of a section's table, each with the tests that it cites. */
function rowsOf(section: string) {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const [table = ''] = text.split('\n## ');
  return table
    .split('\n')
    .filter((line) => /^\| [A-Z]\d+ \|/.test(line))
    .map((row) => {
      const [id = '', , tests = ''] = row.slice(2).split(' | ');
      return { id, tests: citedTests(tests) };
    });
}

const bars = rowsOf('Guarantees');
const attacks = rowsOf('Attacks');

describe('docs/security.md', () => {
  it('lists every requirement for accounts, email and secrets', () => {
    const accounts = Array.from({ length: 18 }, (_, index) => `A${index + 1}`);
    expect(bars.map(({ id }) => id)).toEqual([...accounts, 'F7', 'E1', 'E2', 'O1', 'O2', 'O3', 'O4', 'O5', 'O6', 'O7']);
  });

  it('lists each id once', () => {
    const ids = [...bars, ...attacks].map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('cites every file of test/attack', async () => {
    const files = (await readdir('test/attack', { recursive: true }))
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => join('test/attack', file));
    expect(files.filter((file) => !attacks.some(({ tests }) => tests.includes(file)))).toEqual([]);
  });

  it.each([...bars, ...attacks])('cites a test for $id', ({ tests }) => {
    expect(tests.length).toBeGreaterThan(0);
  });
});
