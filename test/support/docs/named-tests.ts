import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface NamedTest {
  readonly file: string;
  /** May be cut, and then ends with `…`. */
  readonly name: string;
}

/** The tests that a cell of a page in `docs` names: links to files, each followed by names in code marks. */
export function namedTests(cell: string): NamedTest[] {
  return cell.split(/(?=\[[\w.-]+\]\()/).flatMap((text) => {
    const [, path = '', names = ''] = /\(([^)]+)\)(.*)/.exec(text) ?? [];
    return Array.from(names.matchAll(/`([^`]+)`/g), ([, name = '']) => ({ file: join('docs', path), name }));
  });
}

/** Whether the file has a test of this name. A cut name must fit exactly one. */
export function testExists({ file, name }: NamedTest): boolean {
  const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const quotes = ["'", '"', '`'];
  if (!name.endsWith('…')) return quotes.some((quote) => source.includes(quote + name + quote));
  return quotes.flatMap((quote) => source.split(quote + name.slice(0, -1)).slice(1)).length === 1;
}
