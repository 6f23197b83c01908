import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sizeAtStart } from '#bench/startup.ts';
import { bundle } from '#lib/constructs/function-code.ts';

const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** KB (1,000 bytes), minified, of what a start reads; a few per cent above what it is (bench/RESULTS.md has all of them). */
test.each([
  ['api/inference/create-chat-completion', 355],
  ['api/inference/create-openai-embeddings', 360],
  ['api/inference/translate', 355],
  ['api/analysis/analyze', 375],
  ['api/keys/list-keys', 490],
  ['api/shared/unknown-route', 150],
  ['jobs/billing/project-ledger', 460],
])('%s starts with at most %i KB of code', (entry, budget) => {
  const out = join(folder, entry);
  bundle(join(import.meta.dirname, `../../functions/${entry}.ts`), out);
  const { bytes } = sizeAtStart(out);
  expect(bytes / 1000).toBeLessThanOrEqual(budget);
  expect(bytes / 1000).toBeGreaterThan(budget / 4);
});
