import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { macros } from './dashboard/locales/vite-plugin.ts';
import { LongestFirst } from './test/support/longest-first.ts';

const browser = 'test/browser/**/*.test.ts';
const measured = [
  'test/{attack/bodies,perf}/**/*.test.ts',
  'test/attack/{patterns,accounts/hour,accounts/names,models/hostile-model}.test.ts',
];
const globalSetup = ['test/support/temporary-folder.ts'];

export default defineConfig({
  plugins: [macros()],
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'service', include: ['test/**/*.test.ts'], exclude: [...measured, browser], globalSetup },
      },
      // Some tests measure the process's CPU time and memory, so each file has its own process.
      { extends: true, test: { name: 'measured', include: measured, isolate: true, globalSetup } },
      // Takes half of the time of all tests, so it is a separate command.
      {
        extends: true,
        test: {
          name: 'browser',
          include: [browser],
          globalSetup: [...globalSetup, 'test/support/unpacked-browser.ts'],
        },
      },
    ],
    // Loading the same thousand modules used half of the CPU time of a file that starts a service, so files share a
    // process.
    isolate: false,
    setupFiles: ['test/support/restored-environment.ts', 'test/support/english.ts'],
    // Ten seconds, because a busy machine is slow. A condition that is never met fails just as well after ten seconds.
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // One more worker than the CPUs of a small machine, because tests spend half of their time waiting.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    env: {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      POWERTOOLS_LOG_LEVEL: 'SILENT',
      // Cheap password hashes, also in the processes that tests start. The default takes 0.4 s of CPU time each.
      SCRYPT_LOG2_N: '8',
      // Skips aws-cdk-lib's own validation, which doubles the time of synthesis.
      CDK_VALIDATION: 'false',
      // Compile cache for the processes that tests start, which halves their duration.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compile'),
    },
  },
});
