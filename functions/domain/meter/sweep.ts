import { ServiceError } from '../shared/service-error.ts';
import { graceSeconds } from './admission/admission.ts';
import type { MeterStore } from './meter-store.ts';
import type { Meter } from './meter.ts';

/** Accounts settled concurrently. */
const concurrency = 8;

/** Looks at an account whose calls go on; then the next sweep does. */
const maxTries = 8;

export interface Swept {
  readonly accounts: number;
  readonly oldestHoldSeconds: number;
}

/**
 * Settles what is due on accounts that do not call, and gives back what dead calls held. `current` brings a meter to
 * a moment (epoch ms). Returns how many accounts it looked at, and by how many seconds the oldest hold it found had
 * passed its deadline; an account that cannot be settled does not keep it from the others, and is reported once they
 * are done.
 */
export function sweeper(store: MeterStore, current: (accountId: number, now: number) => Promise<Meter>) {
  async function sweep(now: number): Promise<Swept> {
    const seconds = Math.floor(now / 1000);
    let oldestHoldSeconds = 0;
    const due = await visitEach(store.accountsDue(seconds), (accountId) => current(accountId, now));
    const held = await visitEach(store.accountsWithOldHolds(seconds), async (accountId) => {
      const deadlines = [...((await store.find(accountId))?.holds.values() ?? [])].map((hold) => hold.deadline);
      oldestHoldSeconds = Math.max(oldestHoldSeconds, ...deadlines.map((deadline) => seconds - deadline));
      await renewHoldWatch(accountId, now);
    });
    const failures = [...due.failures, ...held.failures];
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} accounts could not be swept`);
    return { accounts: due.visited + held.visited, oldestHoldSeconds };
  }

  /** Looks again when the first open hold expires, or before, as a later call's may expire earlier (docs/adr/0002-holds-watch.md). */
  async function renewHoldWatch(accountId: number, now: number): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      const meter = await current(accountId, now);
      const deadlines = [...meter.holds.values()].map((hold) => hold.deadline);
      const next = Math.min(...deadlines, Math.floor(now / 1000) + graceSeconds);
      if (await store.watchHolds(meter, deadlines.length > 0 ? next : undefined)) return;
    }
  }

  return sweep;
}

/** Visits the accounts, a few at a time. Where others are at an account, or it has gone, there is nothing left to do. */
async function visitEach(accounts: AsyncGenerator<number>, visit: (accountId: number) => Promise<unknown>) {
  const failures: unknown[] = [];
  let visited = 0;
  async function walk(): Promise<void> {
    for await (const accountId of accounts) {
      visited += 1;
      await visit(accountId).catch((error: unknown) => {
        if (!(error instanceof ServiceError)) failures.push(error);
      });
    }
  }
  await Promise.all(Array.from({ length: concurrency }, walk));
  return { visited, failures };
}
