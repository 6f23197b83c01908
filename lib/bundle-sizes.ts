import { build, type Plugin } from 'esbuild';
import { jobEntry, routeEntry } from '#contract/handlers.ts';
import type { Uses } from '#contract/http/route.ts';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes, unknownRouteId } from '#contract/routes.ts';
import { bundling, bundlingWith, readAtStart } from './constructs/function-code.ts';

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
 * One build for functions with similar imports: shared code becomes chunks, each of which counts for every function that
 * imports it.
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
