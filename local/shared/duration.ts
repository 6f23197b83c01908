/** An ISO 8601 duration in whole units, none of them negative. */
export interface Duration {
  readonly months: number;
  readonly days: number;
  readonly seconds: number;
}

const pattern =
  /^P(?=.)(?:(?<years>\d+)Y)?(?:(?<months>\d+)M)?(?:(?<weeks>\d+)W)?(?:(?<days>\d+)D)?(?:T(?=.)(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+)S)?)?$/;

/**
 * Reads `PnYnMnWnDTnHnMnS`, any part of which may be missing but not all; weeks may stand beside other units, as in
 * Temporal. Undefined for anything else: fractions, signs, lower-case letters.
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
 * The moment that much later, in epoch milliseconds, by the UTC calendar: months first, to the same day or the month's
 * last (31 January + P1M is 28 or 29 February), then days and time. NaN beyond what a Date can hold.
 */
export function addDuration(at: number, { months, days, seconds }: Duration): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  date.setUTCDate(Math.min(day, daysInMonth(date)));
  return date.getTime() + (days * 86_400 + seconds) * 1000;
}

function daysInMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
