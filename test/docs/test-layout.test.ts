import { existsSync, readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const maxLines = 350;

/** Modules that start or call a server, a socket or a process. */
const starting = /^(?:node:)?(?:child_process|cluster|dgram|http|http2|https|net|tls|worker_threads)$/;

const entries = await readdir('test', { recursive: true, withFileTypes: true });
const files = entries
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map(({ parentPath, name }) => ({
    path: join(parentPath, name),
    text: readFileSync(join(parentPath, name), 'utf8'),
  }));
const under = (folder: string) => files.filter(({ path }) => path.startsWith(`${folder}/`));

/** The modules that a file loads at run time, without type imports. */
const importsOf = (text: string): string[] =>
  Array.from(
    text.matchAll(/^(?:import|export)(?! type\b)[^;'"]*?(?:from )?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm),
    ([, named, called]) => named ?? called ?? '',
  );

/** The test file that an import refers to. */
const supportOf = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith('#test/')) return join('test/support', specifier.slice('#test/'.length));
  return specifier.startsWith('.') ? join(dirname(from), specifier) : undefined;
};

/** The imports by which a test starts something, directly or through test/support. */
function startsBy(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path) || !statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
  seen.add(path);
  return importsOf(readFileSync(path, 'utf8')).flatMap((specifier) => {
    if (starting.test(specifier) || specifier.startsWith('#local/')) return [`${path}: ${specifier}`];
    const support = supportOf(path, specifier);
    return support === undefined ? [] : startsBy(support, seen);
  });
}

describe('the tests', () => {
  it(`are in files of at most ${maxLines} lines`, () => {
    expect(files.length).toBeGreaterThan(200);
    const lengths = files.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
    expect(lengths.filter(({ lines }) => lines > maxLines)).toEqual([]);
  });

  it('in test/unit start no server, socket or process', () => {
    const units = under('test/unit');
    expect(units.length).toBeGreaterThan(30);
    expect(units.flatMap(({ path }) => startsBy(path))).toEqual([]);
  });

  it.each(['test/unit', 'test/integration'])(
    'in %s are in folders named after a file or folder of functions, bin or the dashboard',
    (folder) => {
      const folders = new Set(under(folder).map(({ path }) => dirname(path).slice(folder.length + 1)));
      const sources = (name: string) => name.replace(/^dashboard\//, 'dashboard/src/');
      const isSubject = (path: string) => existsSync(path) || existsSync(`${path}.ts`);
      const strange = [...folders].filter(
        (name) => name !== 'bin' && !isSubject(join('functions', name)) && !isSubject(sources(name)),
      );
      expect(strange).toEqual([]);
    },
  );
});

/** Paths of files and folders that a text names, with the alternatives in braces expanded. */
function pathsIn(text: string, named: RegExp): string[] {
  return Array.from(text.matchAll(named), ([path]) => path.replace(/^\.?\//, '')).flatMap(expanded);
}

function expanded(path: string): string[] {
  const [braces, choices = ''] = /\{([^}]*)\}/.exec(path) ?? [];
  return braces === undefined ? [path] : choices.split(',').flatMap((one) => expanded(path.replace(braces, one)));
}

/** Arguments of Vitest select files whose paths begin with them. */
const selects = (path: string): boolean =>
  existsSync(path) || files.some((file) => file.path.startsWith(path.replace(/\/$/, '')));

describe.each(['.ci/run', 'test/support/longest-first.ts', 'package.json'])('%s', (file) => {
  it('names only files and folders that exist', () => {
    const paths = pathsIn(readFileSync(file, 'utf8'), /(?<![\w:./-])(?:\.?\/)?(?:bench|bin|test)\/[\w./{},-]+/g);
    expect(paths.length).toBeGreaterThan(4);
    expect(paths.filter((path) => !selects(path))).toEqual([]);
  });
});
