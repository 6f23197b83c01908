#!/usr/bin/env node
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

interface File {
  readonly path: string;
  readonly lines: number;
}

const code = '**/*.{ts,tsx}';
const production = filesOf(
  ['bench', 'bin', 'dashboard', 'functions', 'lib', 'local'].map((folder) => `${folder}/${code}`),
);
const tests = filesOf([`test/${code}`]);
const pages = globSync(['*.md', 'docs/**/*.md']).map((path) => ({ path, words: wordsOf(path) }));

const small = production.filter(({ lines }) => lines < 20).length;
const rows: readonly (readonly [string, string | number])[] = [
  ['Production files', production.length],
  ['of which under 20 lines', `${Math.round((100 * small) / production.length)}%`],
  ['Production lines', sum(production.map(({ lines }) => lines))],
  ['Test files', tests.length],
  ['Test lines', sum(tests.map(({ lines }) => lines))],
  ['Words of documentation', sum(pages.map(({ words }) => words))],
  ['Maximum folder depth', Math.max(...production.map(({ path }) => dirname(path).split('/').length))],
];
for (const [title, value] of rows) print(title, value);

console.log('\nLargest production files, in lines');
for (const { path, lines } of largest(production, ({ lines }) => lines)) print(path, lines);
console.log('\nLargest pages, in words');
for (const { path, words } of largest(pages, ({ words }) => words)) print(path, words);

function filesOf(patterns: readonly string[]): readonly File[] {
  const exclude = ['**/node_modules/**', '**/dist/**'];
  return globSync(patterns, { exclude }).map((path) => ({ path, lines: read(path).split('\n').length - 1 }));
}

/** Counts the words outside code blocks and comments. Ignores table borders. */
function wordsOf(path: string): number {
  const text = read(path).replaceAll(/^( *)```.*?^\1```$|<!--.*?-->/gms, '');
  return text.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function largest<T>(all: readonly T[], sizeOf: (one: T) => number): readonly T[] {
  return all.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, 10);
}

function print(title: string, value: string | number): void {
  const shown = typeof value === 'number' ? value.toLocaleString('en-US') : value;
  console.log(`${title.padEnd(60)}${shown.padStart(10)}`);
}
