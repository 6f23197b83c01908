import * as v from 'valibot';
import { epochMs, lastInstant, timestamp } from '#contract/shared/fields.ts';
import { daySeconds } from '#contract/shared/time.ts';
import { readJsonFile, writeJsonFile } from './data-folder.ts';

const advance = v.pipe(
  v.string(),
  v.rawTransform<string, Duration>(({ dataset, addIssue, NEVER }) => {
    const duration = parseDuration(dataset.value);
    if (duration) return duration;
    addIssue();
    return NEVER;
  }),
);
const instant = v.pipe(timestamp, v.transform(epochMs));

/** Body of `POST /_local/clock` (docs/architecture.md#on-one-machine): an ISO 8601 duration, or the new time. */
export const ClockOrder = v.union(
  [v.strictObject({ advance }), v.strictObject({ now: instant })],
  'The body must be {"advance": "P1M"}, an ISO 8601 duration in whole units, or {"now": "2027-01-31T12:00:00Z"}, a timestamp.',
);
export type ClockOrder = v.InferOutput<typeof ClockOrder>;

export interface ShiftedClock {
  readonly now: () => number;
  /** The time that an order moves to. */
  readonly timeOf: (order: ClockOrder) => number;
  /**
   * Moves the clock forward, stores the offset and returns the new time. Throws a RangeError with a sentence for an
   * invalid order.
   */
  readonly move: (order: ClockOrder) => Promise<number>;
}

/** Keeps the offset in a file, so that time never runs backwards for the same data. */
export async function openClock(file: string, machineNow: () => number = Date.now): Promise<ShiftedClock> {
  const stored = await readJsonFile(file, v.object({ offsetMs: v.pipe(v.number(), v.minValue(0)) }));
  let offsetMs = stored?.offsetMs ?? 0;
  let moving: Promise<unknown> = Promise.resolve();
  const now = (): number => machineNow() + offsetMs;

  async function moveNow(order: ClockOrder): Promise<number> {
    const from = now();
    const to = timeAfter(from, order);
    if (!(to <= lastInstant)) throw new RangeError('The clock cannot go past the year 9999.');
    if (to < from) throw new RangeError(`The clock only goes forward, and it is ${new Date(from).toISOString()} now.`);
    await writeJsonFile(file, { offsetMs: offsetMs + to - from });
    offsetMs += to - from;
    return now();
  }

  /** Serializes moves, so that concurrent orders add up. */
  function move(order: ClockOrder): Promise<number> {
    const moved = moving.then(() => moveNow(order));
    moving = moved.catch(() => undefined);
    return moved;
  }

  return { now, timeOf: (order) => timeAfter(now(), order), move };
}

const timeAfter = (from: number, order: ClockOrder): number =>
  'now' in order ? order.now : addDuration(from, order.advance);

/** An ISO 8601 duration in whole, non-negative units. */
export interface Duration {
  readonly months: number;
  readonly days: number;
  readonly seconds: number;
}

const pattern =
  /^P(?=.)(?:(?<years>\d+)Y)?(?:(?<months>\d+)M)?(?:(?<weeks>\d+)W)?(?:(?<days>\d+)D)?(?:T(?=.)(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+)S)?)?$/;

/**
 * Parses `PnYnMnWnDTnHnMnS` with at least one part. Like Temporal, allows weeks next to other units. Undefined for
 * fractions, signs and lower-case letters.
 */
export function parseDuration(text: string): Duration | undefined {
  const parts = pattern.exec(text)?.groups;
  if (!parts) return undefined;
  const count = (unit: string): number => Number(parts[unit] ?? 0);
  return {
    months: count('years') * 12 + count('months'),
    days: count('weeks') * 7 + count('days'),
    seconds: count('hours') * 3600 + count('minutes') * 60 + count('seconds'),
  };
}

/**
 * Adds months in the UTC calendar, clamped to the last day of the month (31 January + P1M is 28 or 29 February), then
 * days and time. Epoch ms. NaN if a Date cannot hold the result.
 */
export function addDuration(at: number, { months, days, seconds }: Duration): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  date.setUTCDate(Math.min(day, daysInMonth(date)));
  return date.getTime() + (days * daySeconds + seconds) * 1000;
}

function daysInMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
