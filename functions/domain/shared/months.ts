export const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

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
  const timeOfDay = anchor % 86_400;
  return first / 1000 + (Math.min(date.getUTCDate(), lastDay) - 1) * 86_400 + timeOfDay;
}

/** Returns the end of the month that contains `now`, counted from `anchor` (epoch seconds). */
export function endOfMonth(anchor: number, now: number): number {
  return addMonths(anchor, monthsSince(anchor, now) + 1);
}
