/** A grant of credits, in microcredits and epoch seconds. */
export interface Grant {
  readonly source: 'free' | 'plan' | 'purchase';
  readonly granted: number;
  left: number;
  expiresAt: number;
  /** When it would expire, had nothing been cancelled. */
  readonly until: number;
}

/** Grants of one source that expire together are one. */
export function together(grants: readonly Grant[]): Grant[] {
  const made: Grant[] = [];
  for (const grant of grants) {
    const same = made.findIndex((one) => one.source === grant.source && one.expiresAt === grant.expiresAt);
    const one = made[same];
    if (!one) made.push({ ...grant, until: grant.expiresAt });
    else made[same] = { ...one, granted: one.granted + grant.granted, left: one.left + grant.left };
  }
  return made;
}

export const byExpiry = (one: Grant, other: Grant): number =>
  one.expiresAt - other.expiresAt || one.until - other.until;

/** So many months later, on the last day where the month is too short. */
export function monthsAfter(moment: number, months: number): number {
  const from = new Date(moment * 1000);
  for (let day = from.getUTCDate(); ; day--) {
    const date = new Date(from);
    date.setUTCFullYear(from.getUTCFullYear(), from.getUTCMonth() + months, day);
    if (date.getUTCDate() === day) return date.getTime() / 1000;
  }
}
