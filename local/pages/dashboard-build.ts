import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Closers } from '../shared/pump.ts';

const root = join(import.meta.dirname, '../..');
const offer = process.env['OFFER'] ?? '';
const ofOffer = offer && `-${createHash('sha256').update(offer).digest('hex').slice(0, 12)}`;
/** Folder of the dashboard built with the current offer. Its stamp file contains the hash of the sources. */
export const dashboardFolder = join(root, 'dashboard', `dist${ofOffer}`);
export const stampFile = 'sources.txt';

const sources = [
  'dashboard/{src,public,content,locales}/**',
  'dashboard/*.*',
  'functions/contract/**',
  'docs/openapi.json',
  'docs/{api,credits,webhooks}.md',
  'docs/guides/**',
  'bin/build.ts',
  'bin/openapi/**',
  'package-lock.json',
];

export async function dashboardSources(): Promise<string> {
  const entries = await Array.fromAsync(glob(sources, { cwd: root, withFileTypes: true }));
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const hash = createHash('sha256');
  for (const file of files.sort())
    hash
      .update(file.slice(root.length))
      .update('\0')
      .update(await readFile(file))
      .update('\0');
  return hash.digest('hex');
}

export async function isDashboardBuilt(): Promise<boolean> {
  const stamp = await readFile(join(dashboardFolder, stampFile), 'utf8').catch(() => '');
  return stamp !== '' && stamp === (await dashboardSources());
}

/**
 * Builds the dashboard in a separate process if its sources changed. A failed build is logged. Closing ends the
 * process.
 */
export async function buildDashboard(log: (line: string) => void, closers: Closers): Promise<void> {
  if (await isDashboardBuilt()) return;
  const child = spawn(process.execPath, ['bin/build.ts'], { cwd: root, stdio: 'ignore' });
  let isEnded = false;
  closers.add({
    close: () => {
      isEnded = true;
      child.kill();
    },
  });
  const [code] = await once(child, 'close').catch(() => [undefined]);
  if (code !== 0 && !isEnded)
    log('The dashboard could not be built. Everything else works. Run npm run build to see the error.');
}
