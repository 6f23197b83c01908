import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
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
      // Processes that tests start find their modules compiled: half of the time such a process takes.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compile'),
    },
  },
});
