import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync, type Metafile, build, type Plugin } from 'esbuild';
import { jobEntry, routeEntry } from '#contract/handlers.ts';
import type { Uses } from '#contract/http/route.ts';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes, unknownRouteId } from '#contract/routes.ts';

const repository = join(import.meta.dirname, '../..');

/** esbuild target: minified ES modules for Lambda's Node.js. */
const functionModules = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  logLevel: 'warning',
} as const satisfies BuildOptions;

export interface CodeOptions {
  /** False replaces Stripe's package. */
  readonly withStripe: boolean;
  /** False replaces the client of Amazon Bedrock. */
  readonly withBedrock: boolean;
}

/**
 * Bundles an entry point with all its imports as minified modules. Dynamic imports stay in separate files, loaded on
 * first use: with the tokenizer in the main file, a cold start took 200 ms instead of 80. NodejsFunction cannot split
 * code, and runs esbuild through npx for each function.
 */
export function functionCode(entry: string, options: CodeOptions): Code {
  return Code.fromAsset(join(repository, 'functions'), {
    // Hash of the code, so that only changed functions are deployed.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('never-used'),
      // Distinguishes the bundles, because CDK builds once for equal options.
      command: [entry, JSON.stringify(options)],
      local: {
        tryBundle(outdir) {
          bundle(entry, outdir, options);
          return true;
        },
      },
    },
  });
}

/** Writes the code of an entry point to a folder. `index.mjs` exports its handler. */
export function bundle(
  entry: string,
  outdir: string,
  options: CodeOptions = { withStripe: true, withBedrock: false },
): void {
  const stdin = { contents: entry, resolveDir: repository, loader: 'ts' } as const;
  const { metafile } = buildSync({ ...bundlingWith(options), stdin, entryNames: 'index', outdir, metafile: true });
  joinStart(outdir, metafile.outputs);
}

const substitute = (file: string): string => join(repository, 'lib/bundled', file);

/** esbuild options for entry points. Replaces modules that a cold start does not need. */
export const bundling = {
  ...functionModules,
  absWorkingDir: repository,
  alias: {
    'node:assert': substitute('assert.cjs'),
    'node:crypto': substitute('crypto.ts'),
    'node:http': substitute('http.ts'),
    'node:process': substitute('process.ts'),
    '@aws-sdk/credential-provider-node': substitute('credentials.ts'),
  },
  // Unused parts of `undici`: its second parser, and the modules below. `require` returns undefined for them.
  define: { esbuildDetection: 'true', OFFER: JSON.stringify(process.env['OFFER'] ?? null) },
  external: ['dispatcher/client-h2', 'llhttp/llhttp-wasm', 'web/*'].map(
    (file) => `./node_modules/undici/lib/${file}.js`,
  ),
  // ES modules have no `require`, which bundled CommonJS modules need for Node.js built-ins.
  banner: { js: 'const require=process.getBuiltinModule;' },
  outExtension: { '.js': '.mjs' },
  splitting: true,
  mainFields: ['module', 'main'],
} as const satisfies BuildOptions;

/** Replaces the gateways of services that a function never calls, although its imports lead to them. */
export const bundlingWith = ({ withStripe, withBedrock }: CodeOptions) =>
  ({
    ...bundling,
    alias: {
      ...bundling.alias,
      ...(!withStripe && { '#gateways/stripe/provider.ts': substitute('unused-gateways.ts') }),
      ...(!withBedrock && { '#gateways/bedrock/bedrock-runtime.ts': substitute('unused-gateways.ts') }),
    },
  }) as const satisfies BuildOptions;

type Outputs = Metafile['outputs'];

const entry = 'index.mjs';

/**
 * Merges the static imports of `index.mjs` into it. esbuild writes a file for each set of dynamic imports that share
 * code, and Node.js needs longer to find, read and link thirty small files than to run them. Dynamically imported files
 * then import from `index.mjs`.
 */
function joinStart(outdir: string, outputs: Outputs): void {
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

/** Bytes that a function loads at cold start, with its budget. */
export interface BundleSize {
  readonly id: string;
  readonly bytes: number;
  readonly budget: number;
}

const KiB = 1024;

/** Larger bundles noticeably slow down the cold start (docs/performance.md, the line at which bundles fail). */
const budget = 575 * KiB;

/**
 * Minified start-up code of every function of a stage with payments, largest first. Excludes code that is imported
 * later, such as the tokenizer.
 */
export async function bundleSizes(): Promise<readonly BundleSize[]> {
  const entries: readonly DeployedEntry[] = [
    ...allRoutes.map(({ id, uses, priced }) => ({ id, uses, isPriced: priced !== undefined, entry: routeEntry(id) })),
    ...allJobs.map((job) => ({ ...job, isPriced: false, entry: jobEntry(job) })),
    { id: unknownRouteId, uses: {}, isPriced: false, entry: routeEntry(unknownRouteId) },
  ];
  const calling = entries.filter(({ uses }) => uses.payments);
  const priced = entries.filter(({ isPriced }) => isPriced);
  const others = entries.filter((entry) => !calling.includes(entry) && !priced.includes(entry));
  const sizes = await Promise.all([
    sizesOf(calling, bundlingWith({ withStripe: true, withBedrock: false })),
    sizesOf(priced, withoutEither),
    sizesOf(others, withoutEither),
  ]);
  return sizes.flat().toSorted((one, other) => other.bytes - one.bytes);
}

interface DeployedEntry extends Entry {
  readonly uses: Uses;
  readonly isPriced: boolean;
}

interface Entry {
  readonly id: string;
  readonly entry: string;
}

/**
 * One build for functions with similar imports: shared code becomes chunks, each of which counts for every function
 * that imports it.
 */
async function sizesOf(entries: readonly Entry[], options: Bundling): Promise<BundleSize[]> {
  const { metafile } = await buildEntries(entries, options);
  return entries.map(({ id }) => {
    const files = [...readAtStart(outputOf(id), metafile.outputs)];
    const bytes = files.reduce((sum, file) => sum + (metafile.outputs[file]?.bytes ?? 0), 0);
    return { id, bytes, budget };
  });
}

type Bundling = ReturnType<typeof bundlingWith>;

const withoutEither = bundlingWith({ withStripe: false, withBedrock: false });

/** The output of a function in the metafile of `buildEntries`. */
export const outputOf = (id: string): string => `sizes/${id}.mjs`;

export const buildEntries = (entries: readonly Entry[], options: Bundling) =>
  build({
    ...options,
    entryPoints: Object.fromEntries(entries.map(({ id }) => [id, `entry:${id}`])),
    plugins: [sources(new Map(entries.map(({ id, entry }) => [id, entry])))],
    outdir: 'sizes',
    write: false,
    metafile: true,
  });

/** Resolves `entry:ID` to the source of that entry point. */
const sources = (entries: ReadonlyMap<string, string>): Plugin => ({
  name: 'entries',
  setup(build) {
    build.onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice('entry:'.length), namespace: 'entry' }));
    build.onLoad({ filter: /^/, namespace: 'entry' }, ({ path }) => ({
      contents: entries.get(path) ?? '',
      loader: 'ts',
      resolveDir: bundling.absWorkingDir,
    }));
  },
});
