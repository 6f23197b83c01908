import * as v from 'valibot';
import { epochMs, lastInstant, timestamp } from '#contract/shared/fields.ts';
import { addDuration, type Duration, parseDuration } from './duration.ts';
import { readJsonFile, writeJsonFile } from './files/json-file.ts';

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

/** What `POST /_local/clock` takes (docs/architecture.md#on-one-machine): an ISO 8601 duration to go forward, or the moment to go to. */
export const ClockOrder = v.union(
  [v.strictObject({ advance }), v.strictObject({ now: instant })],
  'The body must be {"advance": "P1M"}, an ISO 8601 duration in whole units, or {"now": "2027-01-31T12:00:00Z"}, a timestamp.',
);
export type ClockOrder = v.InferOutput<typeof ClockOrder>;

/** A clock that goes as the machine's does, and can be put forward. Epoch milliseconds. */
export interface ShiftedClock {
  readonly now: () => number;
  /** Goes forward, keeps that on disk, and gives the new time. Throws RangeError with a sentence when it cannot be. */
  readonly move: (order: ClockOrder) => Promise<number>;
}

/** The clock whose offset is kept in the file, so time never runs backwards over the same data. */
export async function openClock(file: string, machineNow: () => number = Date.now): Promise<ShiftedClock> {
  const kept = await readJsonFile(file, v.object({ offsetMs: v.pipe(v.number(), v.minValue(0)) }));
  let offsetMs = kept?.offsetMs ?? 0;
  let moving: Promise<unknown> = Promise.resolve();
  const now = (): number => machineNow() + offsetMs;

  async function moveNow(order: ClockOrder): Promise<number> {
    const from = now();
    const to = 'now' in order ? order.now : addDuration(from, order.advance);
    if (!(to <= lastInstant)) throw new RangeError('The clock cannot go past the year 9999.');
    if (to < from) throw new RangeError(`The clock only goes forward, and it is ${new Date(from).toISOString()} now.`);
    await writeJsonFile(file, { offsetMs: offsetMs + to - from });
    offsetMs += to - from;
    return now();
  }

  /** One after the other, so that two concurrent orders add up. */
  function move(order: ClockOrder): Promise<number> {
    const moved = moving.then(() => moveNow(order));
    moving = moved.catch(() => undefined);
    return moved;
  }

  return { now, move };
}
