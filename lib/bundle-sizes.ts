import { join } from 'node:path';
import { build } from 'esbuild';
import { handlerFile, jobFile } from '#contract/handlers.ts';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes, unknownRouteId } from '#contract/routes.ts';
import { bundling } from './constructs/function-code.ts';
import { readAtStart } from './constructs/join-start.ts';

/** Bytes that a function loads at cold start, and its budget. */
export interface BundleSize {
  readonly id: string;
  readonly bytes: number;
  readonly budget: number;
}

const KiB = 1024;

/** Above it a cold start takes noticeably longer (docs/performance.md, the line at which bundles fail). */
const budget = 520 * KiB;

const functions = join(import.meta.dirname, '../functions');

/** Every function's code at its start, minified, largest first. What is imported later, as the tokenizer, is not in it. */
export async function bundleSizes(): Promise<readonly BundleSize[]> {
  const routes = [...allRoutes, { id: unknownRouteId }].map(({ id }) => ({ id, file: `api/${handlerFile(id)}` }));
  const rows = [...routes, ...allJobs.map((job) => ({ id: job.id, file: `jobs/${jobFile(job)}` }))];
  const entryPoints = Object.fromEntries(rows.map(({ id, file }) => [id, join(functions, file)]));
  // One build for all: shared code becomes chunks, which count for each function that imports them.
  const { metafile } = await build({ ...bundling, entryPoints, outdir: 'sizes', write: false, metafile: true });
  const { outputs } = metafile;

  const sizes = rows.map(({ id }) => {
    const files = [...readAtStart(`sizes/${id}.mjs`, outputs)];
    const bytes = files.reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
    return { id, bytes, budget };
  });
  return sizes.toSorted((one, other) => other.bytes - one.bytes);
}
