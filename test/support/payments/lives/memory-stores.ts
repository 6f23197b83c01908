import { type MeterStore, balance, type LedgerEntry, type Meter } from '#domain/meter/meter.ts';
import { type BillingProfile, dueOf, type Order, type OrderStore, type ReceivedEvent } from '#domain/payments/order.ts';
import type { Process } from './process.ts';

export interface LedgerLine extends LedgerEntry {
  readonly seq: number;
}

/** The service's rows of one account. Rows are replaced, never changed. */
export class Rows {
  readonly accountId: number;
  meter: Meter;
  profile: BillingProfile;
  readonly orders = new Map<string, Order>();
  readonly events = new Map<string, ReceivedEvent & { readonly finishedAt?: number }>();
  readonly owners = new Map<string, number>();
  readonly ledger: LedgerLine[] = [];
  /** Called for a write with which the balance falls below the threshold of the top-up. */
  onLow: () => void = () => undefined;

  constructor(meter: Meter, entries: readonly LedgerEntry[]) {
    this.accountId = meter.accountId;
    this.meter = meter;
    this.profile = { accountId: meter.accountId, revision: 0 };
    this.#record(meter, entries);
  }

  replaceMeter(before: Meter, after: Meter, entries: readonly LedgerEntry[]): boolean {
    if (this.meter.seq !== before.seq || this.meter.admitted !== before.admitted) return false;
    // The database's write of a meter changes neither field.
    const { closed, topUpBelow } = this.meter;
    this.meter = { ...after, ...(closed && { closed }), ...(topUpBelow !== undefined && { topUpBelow }) };
    this.#record(after, entries);
    const threshold = (topUpBelow ?? 0) * 1_000_000;
    if (balance(after) < threshold && balance(before) >= threshold) this.onLow();
    return true;
  }

  #record({ seq }: Meter, entries: readonly LedgerEntry[]): void {
    for (const [index, entry] of entries.entries())
      this.ledger.push({ ...entry, seq: seq - entries.length + 1 + index });
  }

  /** Epoch ms of the sweep's next work. */
  nextDue(): number {
    const { alignAt = Infinity, topUp } = this.profile;
    const orders = this.orders.values().map((order) => dueOf(order) ?? Infinity);
    return Math.min(alignAt, topUp?.retryAt ?? Infinity, ...orders);
  }
}

export function memoryMeters(rows: Rows, process: Process): MeterStore {
  const unused = (): never => {
    throw new Error('payments do not use this');
  };
  return {
    find: (accountId) => process.read(() => (accountId === rows.accountId ? rows.meter : undefined)),
    replace: (before, after, entries) => process.write(() => rows.replaceMeter(before, after, entries)),
    admit: unused,
    recordProgress: unused,
    endProgress: unused,
    settle: unused,
    accountsDue: unused,
    accountsWithOldHolds: unused,
    workIn: unused,
    watchHolds: unused,
    admitInLane: unused,
    releaseInLane: unused,
    findLanes: unused,
    openLanes: unused,
    moveLease: unused,
    closeLane: unused,
    postCharges: unused,
  };
}

export function memoryOrders(rows: Rows, process: Process): OrderStore {
  function replaceOrder(before: Order, change: Partial<Order>): Order | undefined {
    if (rows.orders.get(before.id)?.revision !== before.revision) return undefined;
    const after = { ...before, ...change, revision: before.revision + 1 };
    rows.orders.set(after.id, after);
    return after;
  }

  function replaceProfile(before: BillingProfile, change: { readonly [Field in keyof BillingProfile]?: unknown }) {
    if (rows.profile.revision !== before.revision) return undefined;
    const fields = Object.entries({ ...before, ...change, revision: before.revision + 1 });
    rows.profile = Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as unknown as BillingProfile;
    return rows.profile;
  }

  return {
    add: (order) =>
      process.write(
        () => {
          if (rows.orders.has(order.id)) return false;
          rows.orders.set(order.id, order);
          return true;
        },
        () => false,
      ),
    find: ({ accountId, id }) => process.read(() => (accountId === rows.accountId ? rows.orders.get(id) : undefined)),
    page: () =>
      process.read(() => {
        const items = [...rows.orders.values()].toSorted((one, other) => other.createdAt - one.createdAt);
        return { items, next: null };
      }),
    async *all() {
      yield* await process.read(() => [...rows.orders.values()]);
    },
    save: (before, change) =>
      process.write(
        () => replaceOrder(before, change),
        () => undefined,
      ),
    saveWithMeter: (before, change, meters) =>
      process.write<'done' | 'order changed' | 'meter changed'>(() => {
        if (rows.orders.get(before.id)?.revision !== before.revision) return 'order changed';
        if (!rows.replaceMeter(meters.before, meters.after, meters.entries)) return 'meter changed';
        replaceOrder(before, change);
        return 'done';
      }),
    profile: () => process.read(() => rows.profile),
    saveProfile: (before, change) =>
      process.write(
        () => replaceProfile(before, change),
        () => undefined,
      ),
    saveProfileWithMeter: (before, change, meters) =>
      process.write(() => {
        if (rows.profile.revision !== before.revision) return false;
        if (!rows.replaceMeter(meters.before, meters.after, meters.entries)) return false;
        return replaceProfile(before, change) !== undefined;
      }),
    saveCustomer: (before, customer) =>
      process.write(() => {
        if (rows.owners.has(customer)) return undefined;
        const after = replaceProfile(before, { customer });
        if (after) rows.owners.set(customer, rows.accountId);
        return after;
      }),
    removeLinks: () => Promise.reject(new Error('unused')),
    accountOf: (customer) => process.read(() => rows.owners.get(customer)),
    async *due(now) {
      const { accountId, profile } = rows;
      const ids = await process.read(() =>
        [...rows.orders.values()].filter((order) => (dueOf(order) ?? Infinity) <= now),
      );
      for (const { id } of ids) yield { accountId, id };
      if (Math.min(profile.alignAt ?? Infinity, profile.topUp?.retryAt ?? Infinity) <= now) yield { accountId };
    },
    receive: (event) =>
      process.write(() => {
        if (rows.events.get(event.id)?.finishedAt !== undefined) return false;
        rows.events.set(event.id, event);
        return true;
      }),
    event: (id) => process.read(() => rows.events.get(id)),
    finish: (id, at) =>
      process.write(() => {
        const event = rows.events.get(id);
        if (event) rows.events.set(id, { ...event, finishedAt: at });
      }),
  };
}
