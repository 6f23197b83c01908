import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failedWalks } from '#contract/platform/metrics.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { killCommands, runLocal } from '#test/service/local-command.ts';
import { withMetrics } from '#test/service/watched/metrics-on.ts';

const modelOf = (id: string, more: object) => ({
  id,
  capabilities: ['chat'],
  contextWindow: 4096,
  endpoints: [{ kind: 'sagemaker', endpoint: id, family: 'vllm' }],
  ...more,
});
const limits = { callsPerMinute: 60, maxConcurrentCalls: 5 };
const offer = {
  version: 1,
  models: [
    modelOf('embed', { capabilities: ['embeddings'], dimensions: 8 }),
    modelOf('old', { retiredFrom: '2020-01-01', replacedBy: 'large' }),
    modelOf('large', { minPlan: 'team', replacedBy: 'small' }),
    modelOf('small', { price: { perRequest: 0.001, input: 1, output: 2 } }),
  ],
  plans: [
    { name: 'free', priceUsd: 0, creditsPerMonth: 5, ...limits },
    { name: 'team', priceUsd: 20, creditsPerMonth: 100, ...limits },
  ],
};

describe('the canary of an offer', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await testFolder();
  });
  afterEach(async () => {
    await killCommands();
    await removeFolder(folder);
  });

  it.each([{}, { CANARY_MODEL: 'old' }])(
    'calls a model that is served and in every plan, with %o',
    async (env) => {
      const file = join(folder, 'offer.json');
      await writeFile(file, JSON.stringify(offer));
      const args = ['--port', '0', '--data', join(folder, 'data'), '--offer', file, '--canary'];
      const command = runLocal(args, { ...withMetrics, POWERTOOLS_LOG_LEVEL: 'ERROR', ...env });
      const origin = await command.ready;
      await fetch(`${origin}/_local/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advance: 'PT1S' }),
      });
      const walk = () => `${command.out()}\n${command.err()}`.split('\n').find((line) => line.includes(failedWalks));
      await expect.poll(walk, { timeout: 25_000 }).toBeDefined();
      expect(JSON.parse(walk()!)).toMatchObject({ [failedWalks]: 0 });
    },
    60_000,
  );
});
