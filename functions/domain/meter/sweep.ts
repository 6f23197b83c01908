import { meterShards } from '#contract/platform/resources.ts';
import { throwTogether, visitEach } from '../shared/concurrency.ts';
import { ServiceError } from '../shared/service-error.ts';
import { graceSeconds } from './admission.ts';
import type { LaneKeeper } from './lane-keeper.ts';
import { maxCounted, type MeterStore, type ShardWork, type SweepKind, type Meter } from './meter.ts';

export const maxConcurrentAccounts = 8;

const maxConcurrentShards = 16;

/** Attempts for an account with ongoing calls; after that the next sweep continues. */
const maxTries = 8;

const allShards: readonly number[] = Array.from({ length: meterShards }, (_, shard) => shard);

export interface SweepMessage {
  readonly shards: readonly number[];
  readonly at: number;
}

export interface SweepLimits {
  /** Kinds of work, in order. Default: holds, then renewals. */
  readonly kinds?: readonly SweepKind[];
  readonly shards?: readonly number[];
  readonly signal?: AbortSignal;
}

export interface Dispatched {
  /** Seconds by which the oldest hold check is overdue. No hold is overdue for longer. */
  readonly lateSeconds: number;
  readonly messages: number;
}

/** Sweeps the meters of accounts without calls (docs/adr/0002-holds-watch.md). */
export function sweeper(
  store: MeterStore,
  current: (accountId: number, now: number) => Promise<Meter>,
  lanes: Pick<LaneKeeper, 'open' | 'visit' | 'postLost'>,
) {
  /** Settles due accounts and releases the holds of crashed calls. Throws failures together at the end. */
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
      // A refusal means that another process settled the account, or that it was deleted.
      const visit = (accountId: number) => settle(accountId, now).catch(unlessRefused);
      const visits = await visitEach(found, visit, { concurrency: maxConcurrentAccounts, signal });
      failures.push(...(work?.failures ?? []), ...visits.failures);
      accounts += visits.visited;
    }
    throwTogether(failures, 'accounts could not be swept');
    return { accounts };
  }

  /**
   * Schedules the next check: at the first deadline, at most `graceSeconds` from now, because a later call may expire
   * sooner (docs/adr/0002-holds-watch.md).
   */
  async function renewHoldWatch(accountId: number, now: number): Promise<void> {
    if (accountId < 0) return lanes.visit(accountId, now);
    for (let tries = 0; tries < maxTries; tries++) {
      const meter = await current(accountId, now);
      if (tries === 0) await lanes.open(meter, now);
      const deadlines = [...meter.holds.values()].map((hold) => hold.deadline);
      const next = Math.min(...deadlines, Math.floor(now / 1000) + graceSeconds);
      if (await store.watchHolds(meter, deadlines.length > 0 ? next : undefined)) return;
    }
  }

  /** Starts with a different shard every minute, so that no shard is always last. */
  async function workOf(kind: SweepKind, now: number) {
    const first = Math.floor(now / 60_000) % meterShards;
    const rotated = [...allShards.slice(first), ...allShards.slice(0, first)];
    const found: ShardWork[] = [];
    const look = async (shard: number): Promise<void> => {
      const work = await store.workIn(kind, shard, Math.floor(now / 1000));
      if (work.accounts > 0) found.push(work);
    };
    const { failures } = await visitEach(rotated.values(), look, { concurrency: maxConcurrentShards });
    return { found, failures };
  }

  /** Queues the shards with work. The next dispatch makes up for lost messages and unfinished runs. */
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
      const sent = await visitEach(toMessages(work.found).values(), queue, { concurrency: maxConcurrentShards });
      failures.push(...work.failures, ...sent.failures);
    }
    throwTogether(failures, 'shards could not be queued');
    return { lateSeconds, messages };
  }

  /** Visits the lanes of an account immediately. The next sweep repeats failed visits. */
  async function visitLanes({ lanes: leases }: Pick<Meter, 'lanes'>, now: number): Promise<void> {
    const visit = (lane: number) => lanes.visit(lane, now);
    await visitEach([...(leases?.keys() ?? [])].values(), visit, { concurrency: maxConcurrentAccounts });
  }

  /** Posts the charges of closed lanes whose records are lost, such as after a restore. Returns the number of lanes. */
  async function postLostCharges(now: number): Promise<number> {
    let posted = 0;
    for await (const id of store.accountsWithOldHolds(Math.floor(now / 1000) + graceSeconds, allShards))
      if (id < 0 && (await lanes.postLost(id, now))) posted += 1;
    return posted;
  }

  return { sweep, dispatch, visitLanes, postLostCharges };
}

function toMessages(found: readonly ShardWork[]): number[][] {
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
