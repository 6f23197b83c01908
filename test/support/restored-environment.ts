import { afterAll } from 'vitest';
import { resetEnvironment } from '#runtime/process.ts';

const before = { ...process.env };

/** Files share their modules, and with them the environment: each finds it as the first one did, and clients are built again. */
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  resetEnvironment();
});
