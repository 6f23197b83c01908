import { afterAll } from 'vitest';
import { resetEnvironment } from '#runtime/process.ts';

const before = { ...process.env };

/**
 * Test files share their modules and environment, so restore the environment after each file. Clients are created
 * again.
 */
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  resetEnvironment();
});
