import { ServiceError } from '#domain/shared/service-error.ts';
import { explainOutage } from '#runtime/outage.ts';

/** `npm run test:long`: the same tests with large counts. */
const isLong = Boolean(process.env['LONG']);

export const atLength = <T>(short: T, long: T): T => (isLong ? long : short);

/** Selects random samples. Set SEED to repeat a run. */
export const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

/** A consecutive part of a list, from a position given by the seed. At full length, the whole list. */
export function someOf<T>(all: readonly T[], count: number, seed: number): T[] {
  const from = seed % all.length;
  return atLength([...all.slice(from), ...all.slice(0, from)].slice(0, count), [...all]);
}

/**
 * Draws consecutive parts of lists. Each call starts one position later, so that the parts of a file cover the whole
 * list. At full length, draws whole lists.
 */
export function drawing(): <T>(all: readonly T[], count: number) => T[] {
  let position = seed;
  return (all, count) => someOf(all, count, position++);
}

/** Whether a case belongs to the part of all cases that the seed selects. At full length, every case does. */
export function isSampled(name: string, oneIn: number, seed: number): boolean {
  const sum = Buffer.from(name).reduce((hash, byte) => (hash * 31 + byte) % 1_000_003, 7);
  return atLength((sum + seed) % oneIn === 0, true);
}

/** Milliseconds for a test with its own counts. */
export const patience = atLength(120_000, 3_600_000);

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** The outcome of work: `done`, or its error code. */
export const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) =>
      error instanceof ServiceError ? error.code : (explainOutage(error)?.code ?? `unforeseen: ${String(error)}`),
  );
