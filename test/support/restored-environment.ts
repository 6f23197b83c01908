import { afterAll } from 'vitest';
import { resetEnvironment } from '#runtime/process.ts';
import { endChildren } from './children.ts';

const before = { ...process.env };

/**
 * Test files share their modules and environment, so restore the environment after each file and end what it started.
 * Clients are created again.
 */
afterAll(() => {
  endChildren();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  resetEnvironment();
});
