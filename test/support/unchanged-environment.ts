import { afterAll } from 'vitest';

/** Powertools name themselves in it when they are loaded. */
const ownNames = new Set(['AWS_SDK_UA_APP_ID']);
const before = { ...process.env };

/** Files that share their modules share the environment too: one that leaves it changed would decide what the next ones find. */
afterAll(() => {
  const names = Object.keys({ ...before, ...process.env }).filter((name) => !ownNames.has(name));
  const changed = names.filter((name) => process.env[name] !== before[name]);
  if (changed.length > 0) throw new Error(`The file leaves environment variables changed: ${changed.join(', ')}.`);
});
