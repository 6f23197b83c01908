import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const headings = new Map<string, ReadonlySet<string>>();

/** The headings of a page as GitHub anchors. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const known = headings.get(page);
  if (known) return known;
  const found = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm);
  const anchors = new Set(Array.from(found, ([, title = '']) => anchorOf(title)));
  headings.set(page, anchors);
  return anchors;
}

const anchorOf = (title: string): string =>
  title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

/** The test files that a table cell of a page in `docs` links to. */
export const citedTests = (cell: string): string[] =>
  Array.from(cell.matchAll(/\]\(([^)]+\.ts)\)/g), ([, path = '']) => join('docs', path));
