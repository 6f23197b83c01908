import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { jobEntry, routeEntry } from '#contract/handlers.ts';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes, unknownRouteId } from '#contract/routes.ts';
import { bundle } from '#lib/constructs/function-code.ts';
import { onGatewayProcessor } from './shared/processor.ts';
import { median } from './shared/statistics.ts';

const run = promisify(execFile);

export interface Startup {
  readonly id: string;
  /** Of what a start reads, minified. */
  readonly bytes: number;
  readonly gzippedBytes: number;
  /** Wall time of a process that loads the handler and ends, over that of one with an empty handler. */
  readonly ratio: number;
}

/** The code of every function as it is deployed, or for a quick look of a few, each in a folder of its own. */
export function bundleAll(folder: string, isQuick: boolean): string[] {
  const all = [
    ...[...allRoutes, { id: unknownRouteId }].map(({ id }) => ({ id, entry: routeEntry(id) })),
    ...allJobs.map((job) => ({ id: job.id, entry: jobEntry(job) })),
  ];
  const bundled = isQuick ? all.filter(({ id }) => /create-(chat-)?completion|list-keys/.test(id)) : all;
  for (const { id, entry } of bundled) bundle(entry, join(folder, id));
  return bundled.map(({ id }) => id);
}

/** Processes that do nothing but load a handler, all functions in turn and then again. */
export async function measureStartup(folder: string, ids: readonly string[], rounds: number): Promise<Startup[]> {
  const empty = join(folder, 'empty', 'index.mjs');
  mkdirSync(join(folder, 'empty'), { recursive: true });
  writeFileSync(empty, 'export const handler = async () => undefined;\n');
  const ratios = new Map<string, number[]>(ids.map((id) => [id, []]));
  for (let round = 0; round < rounds; round++) {
    for (const id of ids) {
      const emptyMs = await startMs(empty);
      ratios.get(id)?.push((await startMs(join(folder, id, 'index.mjs'))) / emptyMs);
    }
  }
  return ids.map((id) => ({ id, ...sizeAtStart(join(folder, id)), ratio: median(ratios.get(id) ?? []) }));
}

async function startMs(file: string): Promise<number> {
  const [program = '', ...args] = onGatewayProcessor([
    process.execPath,
    '--input-type=module',
    '-e',
    `import ${JSON.stringify(file)}`,
  ]);
  const began = performance.now();
  await run(program, args, { env: { ...process.env, NODE_COMPILE_CACHE: undefined } });
  return performance.now() - began;
}

/** Bytes of the modules that a start reads: `index.mjs` and all that it imports statically. */
export function sizeAtStart(folder: string): { bytes: number; gzippedBytes: number } {
  const texts = [...modulesOf(folder, 'index.mjs', new Set())].map((file) => readFileSync(join(folder, file)));
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);
  return {
    bytes: sum(texts.map(({ length }) => length)),
    gzippedBytes: sum(texts.map((text) => gzipSync(text).length)),
  };
}

function modulesOf(folder: string, file: string, seen: Set<string>): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const imports = readFileSync(join(folder, file), 'utf8').matchAll(/(?:from|import)"\.\/([\w-]+\.mjs)"/g);
  for (const [, imported = ''] of imports) modulesOf(folder, imported, seen);
  return seen;
}
