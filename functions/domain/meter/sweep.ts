import { meterShards } from '#contract/platform/resources.ts';
import { throwTogether, visitEach } from '../shared/concurrency.ts';
import { ServiceError } from '../shared/service-error.ts';
import { graceSeconds } from './admission.ts';
import { maxCounted, type MeterStore, type ShardWork, type SweepKind } from './meter-store.ts';
import type { Meter } from './meter.ts';

/** Accounts settled concurrently by one run. */
export const accountsAtATime = 8;

/** Shards that the dispatcher looks at concurrently. */
const shardsAtATime = 16;

/** Looks at an account whose calls go on; then the next sweep does. */
const maxTries = 8;

const allShards: readonly number[] = Array.from({ length: meterShards }, (_, shard) => shard);

/** Shards that one run sweeps. `at`: when they were found to have work, epoch ms. */
export interface SweepMessage {
  readonly shards: readonly number[];
  readonly at: number;
}

export interface SweepLimits {
  /** Default: both, holds first. */
  readonly kinds?: readonly SweepKind[];
  /** Default: those with work. */
  readonly shards?: readonly number[];
  /** No account is begun once it aborts: those that are left stay in the index. */
  readonly signal?: AbortSignal;
}

export interface Dispatched {
  /** Seconds by which the oldest look at an account's holds is late. None of its holds is past its deadline for longer. */
  readonly lateSeconds: number;
  readonly messages: number;
}

/** Sweeps the meters of accounts that do not call (docs/adr/0002-holds-watch.md). `current` brings a meter to a time (epoch ms). */
export function sweeper(store: MeterStore, current: (accountId: number, now: number) => Promise<Meter>) {
  /**
   * Settles what is due, and releases the holds of dead calls. Returns how many accounts it visited. An account that cannot be settled does
   * not stop the others; failures are reported together at the end.
   */
  async function sweep(now: number, limits: SweepLimits = {}): Promise<{ readonly accounts: number }> {
    const { kinds = ['holds', 'renewals'], signal } = limits;
    const seconds = Math.floor(now / 1000);
    const failures: unknown[] = [];
    let accounts = 0;
    for (const kind of kinds) {
      const isHolds = kind === 'holds';
      const work = limits.shards ? undefined : await workOf(kind, now);
      const shards = limits.shards ?? work?.found.map(({ shard }) => shard) ?? [];
      const found = isHolds ? store.accountsWithOldHolds(seconds, shards) : store.accountsDue(seconds, shards);
      const settle = isHolds ? renewHoldWatch : current;
      // Where others are at an account, or it has gone, there is nothing left to do.
      const visit = (accountId: number) => settle(accountId, now).catch(unlessRefused);
      const visits = await visitEach(found, visit, { concurrency: accountsAtATime, signal });
      failures.push(...(work?.failures ?? []), ...visits.failures);
      accounts += visits.visited;
    }
    throwTogether(failures, 'accounts could not be swept');
    return { accounts };
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

  /** Looks at every shard, at those first that the minute names. */
  async function workOf(kind: SweepKind, now: number) {
    const first = Math.floor(now / 60_000) % meterShards;
    const rotated = [...allShards.slice(first), ...allShards.slice(0, first)];
    const found: ShardWork[] = [];
    const look = async (shard: number): Promise<void> => {
      const work = await store.workIn(kind, shard, Math.floor(now / 1000));
      if (work.accounts > 0) found.push(work);
    };
    const { failures } = await visitEach(rotated.values(), look, { concurrency: shardsAtATime });
    return { found, failures };
  }

  /**
   * Queues the shards with work: one message for each shard with a page of accounts or more, the others together. A shard that fails does not
   * stop the others. A message that is lost, or a run that ends before its shard is empty, is made good by the next dispatch.
   */
  async function dispatch(
    now: number,
    send: (kind: SweepKind, message: SweepMessage) => Promise<void>,
  ): Promise<Dispatched> {
    const failures: unknown[] = [];
    let lateSeconds = 0;
    let messages = 0;
    for (const kind of ['holds', 'renewals'] as const) {
      const work = await workOf(kind, now);
      if (kind === 'holds')
        for (const { since = Infinity } of work.found)
          lateSeconds = Math.max(lateSeconds, Math.floor(now / 1000) - since);
      const queue = async (shards: readonly number[]): Promise<void> => {
        await send(kind, { shards, at: now });
        messages += 1;
      };
      const sent = await visitEach(inMessages(work.found).values(), queue, { concurrency: shardsAtATime });
      failures.push(...work.failures, ...sent.failures);
    }
    throwTogether(failures, 'shards could not be queued');
    return { lateSeconds, messages };
  }

  /** Whether accounts are due at `now` (epoch ms) that the sweep has yet to renew. */
  async function isAnyDue(now: number): Promise<boolean> {
    const { found, failures } = await workOf('renewals', now);
    throwTogether(failures, 'shards could not be read');
    return found.length > 0;
  }

  return { sweep, dispatch, isAnyDue };
}

/** Groups shards so that a message has a page of accounts, or one shard that has more. */
function inMessages(found: readonly ShardWork[]): number[][] {
  const messages: number[][] = [];
  let room = 0;
  for (const { shard, accounts } of found) {
    if (room < accounts) {
      messages.push([]);
      room = maxCounted;
    }
    messages.at(-1)?.push(shard);
    room -= accounts;
  }
  return messages;
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}
