import { build, type Plugin } from 'esbuild';
import { jobEntry, routeEntry } from '#contract/handlers.ts';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes, unknownRouteId } from '#contract/routes.ts';
import { bundling } from './constructs/function-code.ts';
import { readAtStart } from './constructs/join-start.ts';

/** Bytes that a function loads at cold start, with its budget. */
export interface BundleSize {
  readonly id: string;
  readonly bytes: number;
  readonly budget: number;
}

const KiB = 1024;

/** Larger bundles noticeably slow down the cold start (docs/performance.md, the line at which bundles fail). */
const budget = 550 * KiB;

/**
 * Minified start-up code of every function, largest first. Excludes code that is imported later, such as the tokenizer.
 */
export async function bundleSizes(): Promise<readonly BundleSize[]> {
  const entries = new Map([
    ...[...allRoutes, { id: unknownRouteId }].map(({ id }) => [id, routeEntry(id)] as const),
    ...allJobs.map((job) => [job.id, jobEntry(job)] as const),
  ]);
  const entryPoints = Object.fromEntries([...entries.keys()].map((id) => [id, `entry:${id}`]));
  // One build for all functions: shared code becomes chunks, each of which counts for every function that imports it.
  const { metafile } = await build({
    ...bundling,
    entryPoints,
    plugins: [sources(entries)],
    outdir: 'sizes',
    write: false,
    metafile: true,
  });
  const { outputs } = metafile;

  const sizes = [...entries.keys()].map((id) => {
    const files = [...readAtStart(`sizes/${id}.mjs`, outputs)];
    const bytes = files.reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
    return { id, bytes, budget };
  });
  return sizes.toSorted((one, other) => other.bytes - one.bytes);
}

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
