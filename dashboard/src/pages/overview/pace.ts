/**
 * How many days a balance lasts at the pace of the days given, oldest first, the days before the first call left out;
 * undefined without a call.
 */
export function daysLeft(balance: number, perDay: readonly number[]): number | undefined {
  const first = perDay.findIndex((credits) => credits > 0);
  if (first === -1) return undefined;
  const days = perDay.slice(first);
  const pace = days.reduce((sum, credits) => sum + credits, 0) / days.length;
  return Math.floor(balance / pace);
}
