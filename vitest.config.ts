import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

const browser = 'test/browser/**/*.test.ts';
const measured = 'test/{attack,perf}/**/*.test.ts';
const globalSetup = ['test/support/temporary-folder.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'service', include: ['test/**/*.test.ts'], exclude: [measured, browser], globalSetup },
      },
      // Processor time and memory are those of a process, so each file has its own.
      { extends: true, test: { name: 'measured', include: [measured], isolate: true, globalSetup } },
      // Half of the time of all tests, so they are a command of their own.
      {
        extends: true,
        test: {
          name: 'browser',
          include: [browser],
          globalSetup: [...globalSetup, 'test/support/unpacked-browser.ts'],
        },
      },
    ],
    // Half of the processor time of a file that starts a service was loading the same thousand modules again.
    isolate: false,
    setupFiles: ['test/support/restored-environment.ts'],
    // A busy machine is slow, and a condition that never holds is as wrong after ten seconds.
    expect: { poll: { timeout: 10_000 } },
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
