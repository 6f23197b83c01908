import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const page = readFileSync('docs/security.md', 'utf8');

/** The rows of a section's table, each with its tests: links to files, each followed by names, which may be cut with `…`. */
function rowsOf(section: string) {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const [table = ''] = text.split('\n## ');
  return table
    .split('\n')
    .filter((line) => /^\| [A-Z]\d+ \|/.test(line))
    .map((row) => {
      const [id = '', , tests = ''] = row.slice(2).split(' | ');
      const links = tests.split(/(?=\[[\w-]+\]\()/).flatMap((file) => {
        const [, path = '', names = ''] = /\(([^)]+)\)(.*)/.exec(file) ?? [];
        return Array.from(names.matchAll(/`([^`]+)`/g), ([, name = '']) => ({ file: join('docs', path), name }));
      });
      return { id, links };
    });
}

const bars = rowsOf('Bars');
const attacks = rowsOf('Attacks');

describe('docs/security.md', () => {
  it('has every bar of accounts, mail and secrets', () => {
    const accounts = Array.from({ length: 10 }, (_, index) => `A${index + 1}`);
    expect(bars.map(({ id }) => id)).toEqual([...accounts, 'F7', 'O1', 'O2', 'O3', 'O4', 'O5', 'O6']);
  });

  it('has a row for every file of attacks', async () => {
    const files = (await readdir('test/attack'))
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => join('test/attack', file));
    expect(files.filter((file) => !attacks.some(({ links }) => links.some((link) => link.file === file)))).toEqual([]);
  });

  it.each([...bars, ...attacks])('names for $id tests that exist under these names', ({ links }) => {
    expect(links.length).toBeGreaterThan(0);
    for (const { file, name } of links) {
      const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
      const isCut = name.endsWith('…');
      const start = isCut ? name.slice(0, -1) : name;
      const found = ["'", '"', '`'].flatMap((quote) => source.split(quote + start + (isCut ? '' : quote)).slice(1));
      expect({ file, name, found: found.length }).toEqual({ file, name, found: 1 });
    }
  });
});
