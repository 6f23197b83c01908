import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'vite';
import { describe, expect, it } from 'vitest';
import { finished, type RetiredWord, retiredIdentifiers, retiredPhrases } from '#test/docs/retired-words.ts';

const table = 'test/support/docs/retired-words.ts';
const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.(?:tsx?|md)$/.test(path) && path !== table && existsSync(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

const isUnder = (path: string, places: readonly string[]) => places.some((place) => path.startsWith(place));

/** The names that code gives and uses, without comments, texts and quoted keys. */
function identifiersOf(path: string, code: string): Set<string> {
  const names = new Set<string>();
  const add = ({ name }: { name: string }) => names.add(name);
  new Visitor({ Identifier: add, PrivateIdentifier: add, JSXIdentifier: add }).visit(parseSync(path, code).program);
  return names;
}

/** A page without what it quotes: code, and names of tests. */
const wordsOf = (path: string, text: string) =>
  path.endsWith('.md') ? text.replaceAll(/`[^`\n]*`|“[^”\n]*”/g, '') : text;

const sources = files
  .filter(({ path }) => !path.endsWith('.md'))
  .map(({ path, text }) => ({ path, names: [...identifiersOf(path, text)] }));
const texts = files
  .filter(({ path }) => isUnder(path, finished))
  .map(({ path, text }) => ({ path, text: wordsOf(path, text) }));

/** What the API document calls things: its summaries and descriptions. */
function labelsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' && /^(?:summary|description)$/.test(name) ? [inner] : labelsIn(inner),
  );
}

const named = (rows: readonly RetiredWord[]) => rows.map((row) => ({ ...row, name: `${row.word} (${row.standard})` }));

describe('a retired word', () => {
  it('is looked for in all sources and in every finished folder', () => {
    expect(sources.length).toBeGreaterThan(500);
    for (const folder of finished) expect(texts.some(({ path }) => path.startsWith(folder))).toBe(true);
  });

  it.each(named(retiredIdentifiers))('is in no identifier: $name', ({ word, allowed }) => {
    const checked = sources.filter(({ path }) => !isUnder(path, allowed));
    expect(
      checked.flatMap(({ path, names }) => names.filter((name) => word.test(name)).map((n) => `${path}: ${n}`)),
    ).toEqual([]);
  });

  it.each(named(retiredPhrases))('is in no text of a finished folder: $name', ({ word, allowed }) => {
    const checked = texts.filter(({ path }) => !isUnder(path, allowed));
    const lines = checked.flatMap(({ path, text }) => text.split('\n').map((line) => `${path}: ${line.trim()}`));
    expect(lines.filter((line) => word.test(line))).toEqual([]);
  });

  it.each(named(retiredPhrases))('is in no label of the API document: $name', ({ word }) => {
    const labels = labelsIn(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));
    expect(labels.length).toBeGreaterThan(200);
    expect(labels.filter((label) => word.test(label))).toEqual([]);
  });
});
