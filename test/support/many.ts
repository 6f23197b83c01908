import { ServiceError } from '#domain/shared/service-error.ts';
import { explainOutage } from '#runtime/outage.ts';

/** `npm run test:long`: the same tests with large counts. */
const isLong = Boolean(process.env['LONG']);

export const atLength = <T>(short: T, long: T): T => (isLong ? long : short);

/** What a run of usual length takes of many alike: so many in a row, from a place that the seed names; at full length all of them. */
export function someOf<T>(all: readonly T[], count: number, seed: number): T[] {
  const from = seed % all.length;
  return atLength([...all.slice(from), ...all.slice(0, from)].slice(0, count), [...all]);
}

/** Milliseconds that a test with a count of its own may take. */
export const patience = atLength(120_000, 3_600_000);

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** How work went: `done`, or the code that its caller gets. */
export const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) =>
      error instanceof ServiceError ? error.code : (explainOutage(error)?.code ?? `unforeseen: ${String(error)}`),
  );
