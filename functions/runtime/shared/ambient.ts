import { randomBytes } from 'node:crypto';
import type { Clock, Random } from '#domain/shared/ports.ts';

const poolBytes = 4096;
let [pool, used] = [Buffer.alloc(0), 0];

/** Reading a few bytes of the system takes as long as for many. No byte is given twice. */
function pooledBytes(size: number): Uint8Array {
  if (size > poolBytes) return randomBytes(size);
  if (used + size > pool.length) [pool, used] = [randomBytes(poolBytes), 0];
  used += size;
  return pool.subarray(used - size, used);
}

interface Ambient {
  clock: Clock;
  random: Random;
  /** Is given the log lines that have a record, in place of a subscription to the log; AWS has one, so there it is not set. */
  followRecords?: (line: string) => void;
}

/** What surrounds the functions of this process. Whoever runs the handlers may put others in their place before the first event. */
export const ambient: Ambient = {
  clock: { now: () => Date.now() },
  random: { bytes: pooledBytes },
};
