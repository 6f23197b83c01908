/** A grant of credits, in microcredits and epoch seconds. */
export interface Grant {
  readonly id: number;
  readonly source: 'free' | 'plan' | 'purchase';
  granted: number;
  left: number;
  expiresAt: number;
}

/** Credits taken from each grant. */
export type Taken = readonly { readonly id: number; readonly amount: number }[];

/** Grants in spending order. */
export class Grants {
  list: Grant[];

  constructor(list: Grant[] = []) {
    this.list = list;
  }

  get left(): number {
    return this.list.reduce((sum, { left }) => sum + left, 0);
  }

  copy(): Grants {
    return new Grants(structuredClone(this.list));
  }

  /** Grants with remaining credits. Grants of the same source and expiry are shown as one. */
  shown() {
    const made: Omit<Grant, 'id'>[] = [];
    for (const { source, granted, left, expiresAt } of this.list) {
      if (left === 0) continue;
      const same = made.find((one) => one.source === source && one.expiresAt === expiresAt);
      if (same) [same.granted, same.left] = [same.granted + granted, same.left + left];
      else made.push({ source, granted, left, expiresAt });
    }
    return made;
  }

  add(id: number, source: Grant['source'], amount: number, expiresAt: number): void {
    const same = this.list.find((one) => one.source === source && one.expiresAt === expiresAt);
    if (same) [same.granted, same.left] = [same.granted + amount, same.left + amount];
    else this.list.push({ id, source, granted: amount, left: amount, expiresAt });
    this.sort();
  }

  take(amount: number): Taken {
    let toTake = amount;
    return this.list.flatMap((grant) => {
      const taken = Math.min(toTake, grant.left);
      grant.left -= taken;
      toTake -= taken;
      return taken > 0 ? [{ id: grant.id, amount: taken }] : [];
    });
  }

  /** Returns the last `amount` of the taken credits. The result is the part whose grant has expired. */
  giveBack(taken: Taken, amount: number): number {
    let [toReturn, lost] = [amount, 0];
    for (const part of taken.toReversed()) {
      const returned = Math.min(toReturn, part.amount);
      const grant = this.list.find(({ id }) => id === part.id);
      if (grant) grant.left += returned;
      else lost += returned;
      toReturn -= returned;
    }
    return lost;
  }

  /** Removes expired credits. `held` credits, counted from the oldest grant, remain until their call ends. */
  expire(at: number, held: number): { readonly at: number; readonly amount: number }[] {
    const expired: { at: number; amount: number }[] = [];
    let stillHeld = held;
    this.list = this.list.filter((grant) => {
      const kept = Math.min(stillHeld, grant.left);
      stillHeld -= kept;
      if (grant.expiresAt > at) return true;
      if (grant.left > kept) expired.push({ at: grant.expiresAt, amount: grant.left - kept });
      grant.left = kept;
      return kept > 0;
    });
    return expired;
  }

  capPlan(expiresAt: number): void {
    for (const grant of this.list) if (grant.source === 'plan') grant.expiresAt = Math.min(grant.expiresAt, expiresAt);
    this.sort();
  }

  private sort(): void {
    this.list.sort((one, other) => one.expiresAt - other.expiresAt);
  }
}

/** The same day this many months later, or the last day of a shorter month. */
export function monthsAfter(moment: number, months: number): number {
  const from = new Date(moment * 1000);
  for (let day = from.getUTCDate(); ; day--) {
    const date = new Date(from);
    date.setUTCFullYear(from.getUTCFullYear(), from.getUTCMonth() + months, day);
    if (date.getUTCDate() === day) return date.getTime() / 1000;
  }
}
