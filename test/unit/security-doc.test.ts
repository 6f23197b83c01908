import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const page = readFileSync('docs/security.md', 'utf8');
const rows = page.split('\n').filter((line) => /^\| [A-Z]\d+ \|/.test(line));
const bars = rows.map((row) => {
  const [id = '', , , tests = ''] = row.slice(2).split(' | ');
  const links = [...tests.matchAll(/\[[^\]]+\]\(([^)]+)\) `([^`]+)`/g)].map(([, path = '', name = '']) => ({
    path,
    name,
  }));
  return { id, links };
});

describe('docs/security.md', () => {
  it('has every bar of accounts, mail and secrets', () => {
    expect(bars.map(({ id }) => id)).toEqual([
      ...Array.from({ length: 10 }, (_, index) => `A${index + 1}`),
      'F7',
      'O1',
    ]);
  });

  it.each(bars)('names for $id tests that exist under these names', ({ links }) => {
    expect(links.length).toBeGreaterThan(0);
    for (const { path, name } of links) {
      const file = join('docs', path);
      const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
      const isThere = ["'", '"', '`'].some((quote) => source.includes(quote + name + quote));
      expect({ file, name, isThere }).toEqual({ file, name, isThere: true });
    }
  });
});
