interface Recurrence {
  readonly interval: string;
  readonly interval_count: number;
}

const fixedSeconds: Readonly<Record<string, number>> = { day: 86_400, week: 7 * 86_400 };

/**
 * The end of the billing period that contains `at`: the first multiple of the interval after it, counted from the
 * anchor. Months without the anchor's day end on their last day. Seconds.
 */
export function periodEnd(anchor: number, { interval, interval_count: count }: Recurrence, at: number): number {
  const fixed = fixedSeconds[interval];
  if (fixed !== undefined) {
    const step = fixed * count;
    return anchor + (Math.floor((at - anchor) / step) + 1) * step;
  }
  const months = count * (interval === 'year' ? 12 : 1);
  const from = new Date(1000 * anchor);
  const to = new Date(1000 * at);
  const distance = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  let step = Math.max(0, Math.floor(distance / months) - 1);
  while (addMonths(anchor, step * months) <= at) step += 1;
  return addMonths(anchor, step * months);
}

function addMonths(seconds: number, months: number): number {
  const date = new Date(1000 * seconds);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime() / 1000;
}
