import { randomBytes } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { catalogClock } from '#contract/inference/models.ts';
import { Environment } from '#contract/platform/environment.ts';
import type { Clock, Random } from '#domain/shared/ports.ts';

/** Builds a value on first use and caches it. A rejected promise is not cached. */
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

export function perEnvironment<T>(build: () => T): () => T {
  let current = lazy(build);
  resets.push(() => {
    current = lazy(build);
  });
  return () => current();
}

export function resetEnvironment(): void {
  for (const reset of resets) reset();
}

export const environment = perEnvironment(() => v.parse(Environment, process.env));

const poolBytes = 4096;
let [pool, used] = [Buffer.alloc(0), 0];

/** One system call returns 4 KiB as fast as a few bytes. No byte is used twice. */
function pooledBytes(size: number): Uint8Array {
  if (size > poolBytes) return randomBytes(size);
  if (used + size > pool.length) [pool, used] = [randomBytes(poolBytes), 0];
  used += size;
  return pool.subarray(used - size, used);
}

interface Ambient {
  clock: Clock;
  random: Random;
  /** Receives the log lines with a record, in place of a log subscription. Unset in AWS. */
  followRecords?: (line: string) => void;
  /** Offset in ms of the hourly jobs from the full hour. Unset in AWS, where they start at it. */
  hourlyOffsetMs?: () => number;
  /** Origin of the database that calls use instead. Unset in AWS. */
  databaseOf?: (origin: string) => string;
  /** Changes a new client of the database. Unset in AWS. */
  adaptDatabaseClient?: (client: DynamoDBDocumentClient) => void;
}

export const ambient: Ambient = {
  clock: { now: () => Date.now() },
  random: { bytes: pooledBytes },
};

catalogClock.now = () => ambient.clock.now();

/** Casts values that the middlewares built with the same route's schemas and credential. */
export function typed<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the compiler cannot follow a value through Middy
  return value as T;
}
