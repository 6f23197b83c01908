/**
 * The moment `months` calendar months after `anchor` (epoch seconds), in UTC at the same time of day. A day the month
 * does not have becomes its last day; the next month has the anchor's day again (design section 3, "Months").
 */
export function addMonths(anchor: number, months: number): number {
  const date = new Date(anchor * 1000);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
  const month = new Date(first);
  const lastDay = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate();
  const timeOfDay = anchor % 86_400;
  return first / 1000 + (Math.min(date.getUTCDate(), lastDay) - 1) * 86_400 + timeOfDay;
}
