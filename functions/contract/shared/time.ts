export const secondMs = 1000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
export const daySeconds = 86_400;

/** Milliseconds to wait after the given failed try, from 1: doubled from `first` up to `max`. */
export const doublingPause = (
  tries: number,
  { first, max = Number.POSITIVE_INFINITY }: { readonly first: number; readonly max?: number },
): number => Math.min(first * 2 ** (tries - 1), max);

/** The UTC timestamp of a time in epoch milliseconds. */
export const iso = (ms: number): string => new Date(ms).toISOString();

export const isoOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : iso(ms));

/** The UTC day of a time in epoch milliseconds, such as `2027-01-31`. */
export const dayOf = (ms: number): string => iso(ms).slice(0, 10);

/** The UTC timestamp of a time in epoch seconds. */
export const isoOfSeconds = (seconds: number): string => iso(seconds * 1000);

/** Whole months from `anchor` to `now` (epoch seconds), as `addMonths` counts them. */
export function monthsSince(anchor: number, now: number): number {
  const [from, to] = [new Date(anchor * 1000), new Date(now * 1000)];
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  return addMonths(anchor, months) > now ? months - 1 : months;
}

/**
 * Adds calendar months to `anchor` (epoch seconds) in UTC. A missing day becomes the last of its month
 * (docs/credits.md#grants).
 */
export function addMonths(anchor: number, months: number): number {
  const date = new Date(anchor * 1000);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
  const month = new Date(first);
  const lastDay = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate();
  const timeOfDay = anchor % daySeconds;
  return first / 1000 + (Math.min(date.getUTCDate(), lastDay) - 1) * daySeconds + timeOfDay;
}

/** Returns the end of the month that contains `now`, counted from `anchor` (epoch seconds). */
export function endOfMonth(anchor: number, now: number): number {
  return addMonths(anchor, monthsSince(anchor, now) + 1);
}
