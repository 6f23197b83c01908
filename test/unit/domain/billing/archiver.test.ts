import { describe, expect, it } from 'vitest';
import { archivedBefore, ledgerArchiver, type LedgerPart, type StoredRow } from '#domain/billing/archive.ts';

const never = new AbortController().signal;
/** 35 days after the end of March: March is closed, April is open. */
const now = Date.UTC(2027, 4, 6);

/** Rows of these months, in which `-` is a row that is not written yet. */
function rowsOf(...months: readonly string[]): StoredRow[] {
  return months.flatMap((month, index) =>
    month === '-' ? [] : [{ seq: index + 1, at: Date.parse(`2027-${month}-10`) / 1000, amount: 1, line: '' }],
  );
}

/** Archives accounts with these rows in memory. */
function archiver(accounts: readonly StoredRow[][], { partRows = 5, cursor = undefined as number | undefined } = {}) {
  const parts: (LedgerPart & { readonly accountId: number })[] = [];
  const state = { cursor, kept: 0, reads: 0, removed: [] as number[][] };
  const through = (accountId: number): number =>
    parts.filter((part) => part.accountId === accountId).reduce((sum, { rows }) => sum + rows.length, 0);
  const { archive, run } = ledgerArchiver(
    {
      async *accounts(after = 0) {
        yield* accounts.map((_, index) => index + 1).filter((accountId) => accountId > after);
      },
      cursor: async () => state.cursor,
      keepCursor: async (after) => {
        state.cursor = after;
        state.kept += 1;
      },
      through: async (accountId) => through(accountId),
      count: async () => undefined,
      rowsAfter: async (accountId, seq, limit) => {
        state.reads += 1;
        return accounts[accountId - 1]!.filter((row) => row.seq > seq).slice(0, limit);
      },
      add: async (accountId, part) => void parts.push({ accountId, ...part }),
      removeArchived: async (accountId, last) => void state.removed.push([accountId, last]),
    },
    partRows,
  );
  const shown = () => parts.map(({ accountId, month, rows }) => [accountId, month, rows.map(({ seq }) => seq)]);
  return { archive, run, shown, state };
}

describe('a month of the ledger', () => {
  it('is closed 35 days after its end', () => {
    const end = Date.UTC(2027, 3, 1) / 1000;
    expect([archivedBefore(now), archivedBefore(now - 1)]).toEqual([end, Date.UTC(2027, 2, 1) / 1000]);
  });

  it.each([
    ['closed months only, one part each', ['01', '01', '02', '03', '04', '04'], [[1, 2], [3], [4]]],
    ['no more than before a missing row', ['01', '-', '01', '02'], [[1]]],
    ['nothing after a missing first row', ['-', '01', '02'], []],
    ['all but the newest row', ['01', '01', '01'], [[1, 2]]],
    ['no single row', ['01'], []],
    [
      'a long month in full parts',
      Array(13).fill('01') as string[],
      [
        [1, 2, 3, 4, 5],
        [6, 7, 8, 9, 10],
        [11, 12],
      ],
    ],
    [
      'the next month with its own read',
      ['01', '01', '02', '02', '02', '02', '02', '03'],
      [
        [1, 2],
        [3, 4, 5, 6, 7],
      ],
    ],
  ])('is archived as %s', async (_, months, expected) => {
    const { archive, shown } = archiver([rowsOf(...months)]);
    expect(await archive(1, now, never)).toBe(expected.length);
    expect(shown().map(([, , seqs]) => seqs)).toEqual(expected);
    expect(await archive(1, now, never)).toBe(0);
  });

  it('is removed from the table once it is archived, even if the previous run crashed', async () => {
    const { archive, state } = archiver([rowsOf('01', '02', '03')]);
    await archive(1, now, never);
    expect(state.removed).toEqual([[1, 2]]);
    await archive(1, now, never);
    expect(state.removed).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });
});

describe('a run of the archiver', () => {
  it('archives all accounts, reads two rows of one without closed months, and resets its cursor', async () => {
    const { run, shown, state } = archiver([rowsOf('01', '04'), rowsOf('04', '04'), rowsOf('02', '04')], { cursor: 0 });
    expect(await run(now, never)).toBe(2);
    expect(shown()).toEqual([
      [1, '2027-01', [1]],
      [3, '2027-02', [1]],
    ]);
    expect(state).toMatchObject({ cursor: undefined, kept: 1, reads: 7 });
  });

  it('continues after the account at which an interrupted run stopped', async () => {
    const accounts = [rowsOf('01', '04'), rowsOf('02', '04')];
    const interrupted = archiver(accounts);
    expect(await interrupted.run(now, AbortSignal.abort())).toBe(0);
    expect(interrupted.shown()).toEqual([]);
    const { run, shown } = archiver(accounts, { cursor: 1 });
    await run(now, never);
    expect(shown()).toEqual([[2, '2027-02', [1]]]);
  });
});
