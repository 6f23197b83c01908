/** Refusals of an account in a minute that are all recorded; beyond, only those at which their number has doubled are. */
export const fullyRecorded = 20;

const minuteMs = 60_000;

/**
 * Whether a refusal of an account at `now` (epoch ms) is recorded: the number of refusals just before it that are not, or
 * undefined where it is not.
 */
export type RefusalSampler = (accountId: number, now: number) => number | undefined;

/** Counts for one process, so that a flood writes little and costs no round trip (docs/adr/0014-request-logs.md). */
export function createRefusalSampler(): RefusalSampler {
  let minute = 0;
  let counts = new Map<number, number>();

  return (accountId, now) => {
    const current = Math.floor(now / minuteMs);
    if (current !== minute) [minute, counts] = [current, new Map()];
    const count = (counts.get(accountId) ?? 0) + 1;
    counts.set(accountId, count);
    if (count <= fullyRecorded) return 0;
    const doublings = Math.log2(count / fullyRecorded);
    return Number.isInteger(doublings) ? count / 2 - 1 : undefined;
  };
}
