import { dayMs, dayOf, minuteMs } from '#contract/shared/time.ts';

/** Parts of a UTC day: of each hour the minutes from 0, 15 and 30. Each midnight of a time zone starts one (ADR 42). */
export const partsPerDay = 72;

const firstMinutes = [0, 15, 30] as const;

/** The part of its UTC day that contains a time in epoch seconds. */
export function partOf(at: number): number {
  const minutes = Math.floor(at / 60) % 1440;
  const part = firstMinutes.findLastIndex((first) => first <= minutes % 60);
  return Math.floor(minutes / 60) * firstMinutes.length + part;
}

const minuteOf = (part: number): number =>
  Math.floor(part / firstMinutes.length) * 60 + (firstMinutes[part % firstMinutes.length] ?? 0);

/** The parts of a UTC day, before `end` and from the previous end, that belong to a day of a time zone. */
export interface DaySpan {
  readonly date: string;
  readonly end: number;
}

/** The days of a time zone that a UTC day overlaps, in order: usually two. */
export type DaySpans = (utcDay: string) => readonly DaySpan[];

export const utcDays: DaySpans = (date) => [{ date, end: partsPerDay }];

/** Days of a time zone (IANA). Throws a RangeError for an unknown one. */
export function daysOfZone(zone: string): { readonly dayAt: (ms: number) => string; readonly spans: DaySpans } {
  // Swedish dates have the form 2027-01-31.
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  if (format.resolvedOptions().timeZone === 'UTC') return { dayAt: dayOf, spans: utcDays };

  const dayAt = (ms: number): string => format.format(ms);

  let previous: readonly DaySpan[] = [];

  /** Dates never decrease within a day, so the end of a span is found by bisection. Starts at the end of the day before. */
  function spans(utcDay: string): readonly DaySpan[] {
    const start = Date.parse(utcDay);
    const dayOfPart = (part: number) => dayAt(start + minuteOf(part) * minuteMs);
    const found: DaySpan[] = [];
    for (let first = 0; first < partsPerDay; first = found.at(-1)?.end ?? partsPerDay) {
      const date = dayOfPart(first);
      const likely = previous[found.length]?.end ?? 0;
      let [inside, end] = [first, partsPerDay];
      for (const tried of [likely - 1, likely]) {
        if (tried <= inside || tried >= end) continue;
        if (dayOfPart(tried) === date) inside = tried;
        else end = tried;
      }
      while (end - inside > 1) {
        const tried = Math.floor((inside + end) / 2);
        if (dayOfPart(tried) === date) inside = tried;
        else end = tried;
      }
      found.push({ date, end });
    }
    previous = found;
    return found;
  }

  return { dayAt, spans };
}

/** The day that is `days` after a day. */
export const dayAfter = (day: string, days = 1): string => dayOf(Date.parse(day) + days * dayMs);
