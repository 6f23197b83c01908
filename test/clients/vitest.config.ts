import { defineConfig } from 'vitest/config';
import common from '../../vitest.config.ts';

const { projects: _, ...settings } = common.test ?? {};

/** The clients that `npm test` leaves out, because they are not dependencies of the project. */
export default defineConfig({
  test: { ...settings, include: ['test/clients/*.check.ts'], globalSetup: ['test/support/temporary-folder.ts'] },
});
