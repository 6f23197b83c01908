import { configDefaults, defineConfig } from 'vitest/config';
import common from '../../vitest.config.ts';

/** These start the embedded database themselves, or measure time. */
const needsNoDatabase = ['test/api/{readme,restart}.test.ts', 'test/api/accounts/timing.test.ts'];

const { projects: _, ...settings } = common.test ?? {};

/** The tests of storage and API against Amazon's DynamoDB Local instead of the embedded database (docs/dynamodb.md). */
export default defineConfig({
  test: {
    ...settings,
    include: [
      'test/dynamodb-local/*.check.ts',
      'test/api/**/*.test.ts',
      'test/integration/**/*.test.ts',
      'test/unit/{repositories,domain/meter,domain/billing}/**/*.test.ts',
    ],
    exclude: [...configDefaults.exclude, ...needsNoDatabase],
    globalSetup: ['test/support/temporary-folder.ts', 'test/dynamodb-local/start.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
