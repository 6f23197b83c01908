import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';

type Outputs = Metafile['outputs'];

/** esbuild target: minified ES modules for Lambda's Node.js. */
export const functionModules = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  logLevel: 'warning',
} as const satisfies BuildOptions;

const entry = 'index.mjs';

/**
 * Merges the static imports of `index.mjs` into it. esbuild writes a file for each set of dynamic imports that share
 * code, and Node.js needs longer to find, read and link thirty small files than to run them. Dynamically imported files
 * then import from `index.mjs`.
 */
export function joinStart(outdir: string, outputs: Outputs): void {
  const files = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const start = Object.keys(outputs).find((path) => basename(path) === entry) ?? entry;
  const parts = [...readAtStart(start, outputs)].map((path) => basename(path));
  const later = [...files.keys()].filter((file) => !parts.includes(file));
  const contents = parts.map((file, at) => {
    const names = files.get(file)?.exports ?? [];
    return `export {${names.map((name) => `${name} as ${joined(at, name)}`).join()}} from './${file}';`;
  });
  buildSync({
    ...functionModules,
    absWorkingDir: outdir,
    stdin: { contents: contents.join('\n'), resolveDir: outdir },
    outfile: join(outdir, entry),
    allowOverwrite: true,
    external: later.map((file) => `./${file}`),
  });
  for (const file of parts.slice(1)) rmSync(join(outdir, file));
  for (const file of later) {
    const path = join(outdir, file);
    writeFileSync(path, importingJoined(readFileSync(path, 'utf8'), parts));
  }
}

/**
 * Names in `index.mjs` for the exports of its parts, several of which may export the same name. The first part is the
 * entry point itself.
 */
const joined = (at: number, name: string): string => (at === 0 ? name : `_${at}_${name}`);

/** A file and all its static imports in order of discovery: everything that Node.js reads before running any of it. */
export function readAtStart(path: string, outputs: Outputs, seen = new Set<string>()): ReadonlySet<string> {
  seen.add(path);
  for (const { path: next, kind, external } of outputs[path]?.imports ?? [])
    if (kind === 'import-statement' && !external && !seen.has(next)) readAtStart(next, outputs, seen);
  return seen;
}

/** Rewrites the imports of parts, in esbuild's minified form: `import{a as b,c}from"./chunk-ABC.mjs"`. */
function importingJoined(code: string, parts: readonly string[]): string {
  return code.replaceAll(
    /import(?:\{(?<names>[\w$ ,]*)\}from)?"\.\/(?<file>[\w-]+\.mjs)"/g,
    (statement, names: string | undefined, file: string) => {
      const at = parts.indexOf(file);
      if (at === -1) return statement;
      if (names === undefined) return `import"./${entry}"`;
      const renamed = names.split(',').map((one) => {
        const [name = '', local = name] = one.split(' as ');
        return `${joined(at, name)} as ${local}`;
      });
      return `import{${renamed.join()}}from"./${entry}"`;
    },
  );
}
