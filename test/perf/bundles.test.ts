import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sizeAtStart } from '#bench/measurements.ts';
import { jobEntry, routeEntry } from '#contract/handlers.ts';
import { jobs } from '#contract/jobs.ts';
import { bundle } from '#lib/constructs/function-code.ts';

const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Kilobytes (1,000 bytes, minified) that a start reads: a few percent above the measured sizes (bench/RESULTS.md). */
describe.each([
  ['create-chat-completion', routeEntry, 400],
  ['create-openai-embeddings', routeEntry, 405],
  ['translate', routeEntry, 400],
  ['analyze', routeEntry, 392],
  ['list-keys', routeEntry, 540],
  ['unknown-route', routeEntry, 90],
  ['project-ledger', () => jobEntry(jobs.projectLedger), 505],
])('%s', (id, entryOf, budget) => {
  const out = join(folder, id);
  bundle(entryOf(id), out);

  test(`starts with at most ${budget} KB of code`, () => {
    const { bytes } = sizeAtStart(out);
    expect(bytes / 1000).toBeLessThanOrEqual(budget);
    expect(bytes / 1000).toBeGreaterThan(budget / 4);
  });

  test('starts without Intl, whose first object takes 20 ms', () => {
    const script = 'delete globalThis.Intl; import(process.argv[1]).then(({ handler }) => console.log(typeof handler))';
    const args = ['-e', script, join(out, 'index.mjs')];
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()).toBe('function');
  });
});
