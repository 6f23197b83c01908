#!/usr/bin/env node
import { cp, glob, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build } from 'vite';
import { brotliAssets, hashedAssets } from '#contract/dashboard-config.ts';
import { dashboardFolder, dashboardSources, isDashboardBuilt, stampFile } from '#local/pages/dashboard.ts';
import { writeDocsOfOffer } from './openapi/document.ts';

// Vite reads NODE_ENV. Tests set it to `test`, which would build React's slow development version.
process.env['NODE_ENV'] = 'production';

/** Builds the dashboard into dashboard/dist unless the sources are unchanged. Replaces the folder at the end. */
async function run(): Promise<void> {
  if (await isDashboardBuilt()) {
    console.log('The dashboard is up to date.');
    return;
  }
  const sources = await dashboardSources();
  const dashboard = join(dashboardFolder, '..');
  const built = await mkdtemp(join(dashboard, '..', 'node_modules', '.dashboard-'));
  const docs = `${built}-docs`;
  try {
    if (process.env['OFFER']) {
      await writeDocsOfOffer(docs);
      process.env['DOCS_FOLDER'] = docs;
    }
    await build({ configFile: join(dashboard, 'vite.config.ts'), logLevel: 'warn', build: { outDir: built } });
    await compressAssets(built);
    await writeFile(join(built, stampFile), sources);
    // Another process may have finished first, and its output may be in use.
    if (await isDashboardBuilt()) return;
    await rm(dashboardFolder, { recursive: true, force: true });
    await rename(built, dashboardFolder);
  } finally {
    for (const folder of [built, docs]) await rm(folder, { recursive: true, force: true });
  }
  console.log('Built the dashboard into dashboard/dist.');
}

/**
 * Responses are 7% smaller than if the service or CloudFront compressed each one. Level 11, the maximum, takes more
 * than twice as long and saves 2% more.
 */
async function compressAssets(built: string): Promise<void> {
  const folder = join(built, brotliAssets);
  await cp(join(built, hashedAssets), folder, { recursive: true });
  const entries = await Array.fromAsync(glob('**', { cwd: folder, withFileTypes: true }));
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
  const compress = (body: Buffer) => promisify(brotliCompress)(body, options);
  await Promise.all(files.map(async (file) => writeFile(file, await compress(await readFile(file)))));
}

await run();
