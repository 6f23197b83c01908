import type { InferOutput } from 'valibot';
import { type PlanName, planListing, planOfRank } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import {
  type AccountOrder,
  type AccountState,
  accountStates,
  type DirectoryQuery,
  type DirectoryTotals,
  newDays,
} from '#contract/operators/operators.ts';
import { dayMs, hourMs, iso } from '#contract/shared/time.ts';
import type { Account } from '../accounts/account.ts';
import { balance, type Meter, usedCredits } from '../meter/meter.ts';
import type { Clock } from '../shared/ports.ts';

/** What the list of accounts shows and sorts by. `createdAt` in epoch ms, amounts in microcredits. */
export interface AccountSummary {
  readonly accountId: number;
  readonly state: AccountState;
  readonly plan: PlanName;
  readonly createdAt: number;
  readonly spent: number;
  readonly balance: number;
  /** Epoch ms after which the summary of a deleted account expires. */
  readonly deletedAt?: number;
}

export interface DirectoryGroup {
  readonly state: AccountState;
  readonly plan: PlanName;
}

export interface DirectoryProgress {
  /** The last account of an unfinished update, and the totals up to it. */
  readonly after?: number;
  readonly partial?: DirectoryTotals;
  /** Totals of the last complete update, and its time in epoch ms. */
  readonly totals?: DirectoryTotals;
  readonly at?: number;
}

export interface DirectoryStore {
  /** Reads accounts with their meters, in the order of the table. `next` is undefined after the last one. */
  read(
    after: number | undefined,
  ): Promise<{ accounts: { account: Account; meter: Meter }[]; next: number | undefined }>;
  /** Writes the summaries that have changed. Returns their number. */
  save(summaries: readonly AccountSummary[]): Promise<number>;
  progress(): Promise<DirectoryProgress>;
  saveProgress(progress: DirectoryProgress): Promise<void>;
  /** Summaries of groups below a position, in descending order. */
  page(
    groups: readonly DirectoryGroup[],
    order: AccountOrder,
    range: { readonly limit: number; readonly since: number; readonly cursor: string | undefined },
  ): Promise<{ summaries: AccountSummary[]; next: string | null }>;
  /** Current addresses and names. Organizations have no address. Purged accounts are missing. */
  peopleOf(
    accountIds: readonly number[],
  ): Promise<ReadonlyMap<number, { readonly email: string | null; readonly name: string }>>;
}

function summaryOf(account: Account, meter: Meter): AccountSummary {
  const { id: accountId, createdAt, deletedAt } = account;
  return {
    accountId,
    state: stateOf(account, meter),
    plan: planOfRank(meter.planRank).name,
    createdAt,
    spent: usedCredits(meter),
    balance: balance(meter),
    ...(deletedAt !== undefined && { deletedAt }),
  };
}

function stateOf({ deletedAt, suspendedAt, confirmedAt }: Account, { subscription }: Meter): AccountState {
  if (deletedAt !== undefined) return 'deleted';
  if (suspendedAt !== undefined) return 'suspended';
  if (subscription?.unpaidSince !== undefined) return 'past_due';
  return confirmedAt === undefined ? 'unconfirmed' : 'active';
}

const noTotals: DirectoryTotals = {
  accounts: 0,
  new: 0,
  active: 0,
  failing: 0,
  spent: 0,
  states: { deleted: 0, suspended: 0, past_due: 0, unconfirmed: 0, active: 0 },
};

/** Deleted accounts count only as deleted. `spent` is summed in microcredits. */
function withSummary(totals: DirectoryTotals, { state, createdAt, spent }: AccountSummary, now: number) {
  const states = { ...totals.states, [state]: totals.states[state] + 1 };
  if (state === 'deleted') return { ...totals, states };
  return {
    accounts: totals.accounts + 1,
    new: totals.new + (createdAt > now - newDays * dayMs ? 1 : 0),
    active: totals.active + (spent > 0 ? 1 : 0),
    failing: totals.failing + (state === 'past_due' ? 1 : 0),
    spent: totals.spent + spent,
    states,
  };
}

/**
 * The list of all accounts (docs/adr/0043-list-of-accounts.md). `offsetMs`: delay of the update after the full hour.
 */
export function directory(store: DirectoryStore, clock: Clock, offsetMs: () => number = () => 0) {
  function nextUpdate(): number {
    const offset = offsetMs();
    return (Math.floor((clock.now() - offset) / hourMs) + 1) * hourMs + offset;
  }

  /**
   * Derives the summary of every account from the tables, and writes those that differ. Any run repairs what earlier
   * ones missed, and the first one fills the list. A run that `signal` ends is continued by the next one.
   */
  async function update(signal?: AbortSignal): Promise<{ accounts: number; written: number; isDone: boolean }> {
    const last = await store.progress();
    let [totals, after] = [last.partial ?? noTotals, last.after];
    let [accounts, written] = [0, 0];
    for (;;) {
      const page = await store.read(after);
      const summaries = page.accounts.map(({ account, meter }) => summaryOf(account, meter));
      written += await store.save(summaries);
      accounts += summaries.length;
      const now = clock.now();
      totals = summaries.reduce((sum, summary) => withSummary(sum, summary, now), totals);
      after = page.next;
      if (after === undefined || signal?.aborted) break;
    }
    const isDone = after === undefined;
    const { totals: lastTotals, at } = last;
    const complete = { ...(lastTotals && { totals: lastTotals }), ...(at !== undefined && { at }) };
    await store.saveProgress(
      after === undefined ? { totals, at: clock.now() } : { ...complete, after, partial: totals },
    );
    return { accounts, written, isDone };
  }

  async function list({ plan, state, since, sort, cursor, limit }: InferOutput<typeof DirectoryQuery>) {
    const states = state === undefined ? accountStates : [state];
    const plans = plan === undefined ? planListing.map(({ name }) => name) : [plan];
    const groups = states.flatMap((one) => plans.map((name) => ({ state: one, plan: name })));
    const range = { limit, cursor, since: since === undefined ? 0 : Date.parse(since) };
    const [{ summaries, next }, { totals, at }] = await Promise.all([
      store.page(groups, sort, range),
      store.progress(),
    ]);
    const people = await store.peopleOf(summaries.map(({ accountId }) => accountId));
    const accounts = summaries.flatMap(
      ({ accountId: id, state: current, plan: name, createdAt, spent, balance: held }) => {
        const person = people.get(id);
        const amounts = { spent: spent / microPerCredit, balance: held / microPerCredit };
        return person ? [{ id, ...person, state: current, plan: name, created_at: iso(createdAt), ...amounts }] : [];
      },
    );
    return {
      accounts,
      nextCursor: next,
      totals: totals ? { ...totals, spent: totals.spent / microPerCredit } : null,
      updatedAt: at === undefined ? null : iso(at),
      nextUpdateAt: iso(nextUpdate()),
    };
  }

  return { update, list };
}
