import { randomBytes } from 'node:crypto';
import type { Clock, Random } from '#domain/ports.ts';

/** Time and randomness of this process. Whoever runs the handlers may put others in their place before the first event. */
export const ambient: { clock: Clock; random: Random } = {
  clock: { now: () => Date.now() },
  random: { bytes: (size) => randomBytes(size) },
};
