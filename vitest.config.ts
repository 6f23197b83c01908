import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

const still = 'test/{unit,infra}/**/*.test.ts';
const browser = 'test/browser/*.test.ts';

export default defineConfig({
  test: {
    projects: [
      // What starts nothing leaves nothing behind: such files share their modules.
      {
        extends: true,
        test: {
          name: 'still',
          include: [still],
          isolate: false,
          // Some are about the dashboard, whose modules Node cannot load.
          experimental: { viteModuleRunner: true },
          setupFiles: ['test/support/unchanged-environment.ts'],
        },
      },
      { extends: true, test: { name: 'running', include: ['test/**/*.test.ts'], exclude: [still, browser] } },
      // Half of the time of all tests, so they are a command of their own.
      { extends: true, test: { name: 'browser', include: [browser] } },
    ],
    // Node loads the modules, as in `npm start`, with nothing between.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // One more than the processors of a small machine: tests wait as much as they work.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    env: {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      POWERTOOLS_LOG_LEVEL: 'SILENT',
      // Templates are synthesised often; what aws-cdk-lib validates of them by itself takes as long again.
      CDK_VALIDATION: 'false',
      // Processes that tests start find their modules compiled: half of the time such a process takes.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compile'),
    },
  },
});
