import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { Environment } from '#contract/platform/environment.ts';
import type { Clock, Random } from '#domain/shared/ports.ts';

/** Builds a value when it is first needed, and keeps it; a promise that is rejected is made again. */
export function lazy<T>(build: () => T): () => T {
  let built: { value: T } | undefined;
  return () => {
    if (built) return built.value;
    const { value } = (built = { value: build() });
    if (value instanceof Promise) value.catch(() => (built = undefined));
    return value;
  };
}

const resets: (() => void)[] = [];

/** Builds a value once for the environment as it is then. */
export function perEnvironment<T>(build: () => T): () => T {
  let current = lazy(build);
  resets.push(() => {
    current = lazy(build);
  });
  return () => current();
}

/** Forgets what was built, so that the next event meets the environment as it is then. */
export function resetEnvironment(): void {
  for (const reset of resets) reset();
}

/** The function's variables, read when one is first needed. */
export const environment = perEnvironment(() => v.parse(Environment, process.env));

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

/** The middlewares made these values by the route's own schemas and credential, which the operation's types come from. */
export function typed<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the compiler cannot follow a value through Middy
  return value as T;
}
