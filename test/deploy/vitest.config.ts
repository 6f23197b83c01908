import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * Against the deployed platform: the whole way of test/deploy, and the API tests that also run against one machine.
 * Left out are those that stream (the local AWS cannot), and those that are about parts of one machine.
 */
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: [
      'test/deploy/*.deploy.ts',
      'test/api/{accounts,keys,passwords,sessions,subscriptions,operators,chat,refusals,openai,idempotency}.test.ts',
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
    retry: 0,
  },
});
