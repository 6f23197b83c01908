import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface NamedTest {
  readonly file: string;
  /** May be truncated, and then ends with `…`. */
  readonly name: string;
}

/** The tests that a table cell of a page in `docs` cites: links to files, each followed by names in backticks. */
export function namedTests(cell: string): NamedTest[] {
  return cell.split(/(?=\[[\w.-]+\]\()/).flatMap((text) => {
    const [, path = '', names = ''] = /\(([^)]+)\)(.*)/.exec(text) ?? [];
    return Array.from(names.matchAll(/`([^`]+)`/g), ([, name = '']) => ({ file: join('docs', path), name }));
  });
}

/** Whether the file contains a test with this name. A truncated name must match exactly one test. */
export function testExists({ file, name }: NamedTest): boolean {
  const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const quotes = ["'", '"', '`'];
  if (!name.endsWith('…')) return quotes.some((quote) => source.includes(quote + name + quote));
  return quotes.flatMap((quote) => source.split(quote + name.slice(0, -1)).slice(1)).length === 1;
}
