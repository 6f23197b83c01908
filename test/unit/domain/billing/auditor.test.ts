import { describe, expect, it } from 'vitest';
import { auditor, type Finding, type MeterState } from '#domain/billing/auditor.ts';
import type { LedgerAmounts } from '#domain/billing/ledger.ts';

/** Rows of 5 microcredits each with these numbers. The balance counts the earlier ones, too. */
const rowsAt = (...seqs: number[]): LedgerAmounts[] => seqs.map((seq) => ({ seq, amount: 5, balance: 5 * seq }));

interface Account extends Omit<MeterState, 'accountId'> {
  /** The rows of each read of the ledger; the last repeats. */
  readonly reads: readonly (readonly LedgerAmounts[])[];
}

function reviewed(accounts: readonly Account[]) {
  const findings: Finding[] = [];
  const count = { pauses: 0, ranges: [] as number[][] };
  const readsOf = new Map<number, number>();
  const { audit, rebuild } = auditor({
    async *meters() {
      yield* accounts.map(({ seq, balance }, index) => ({ accountId: index + 1, seq, balance }));
    },
    async *rows(accountId, from, to) {
      count.ranges.push([from, to]);
      const read = readsOf.get(accountId) ?? 0;
      readsOf.set(accountId, read + 1);
      const { reads } = accounts[accountId - 1]!;
      yield* (reads[read] ?? reads.at(-1)!).filter(({ seq }) => seq >= from && seq <= to);
    },
    pause: async () => void (count.pauses += 1),
  });
  const report = (finding: Finding) => void findings.push(finding);
  return { findings, count, audit: () => audit(report), rebuild: () => rebuild(report) };
}

describe('an audit', () => {
  it('reads a correct ledger once, without a pause', async () => {
    const { audit, count, findings } = reviewed([{ seq: 2, balance: 10, reads: [rowsAt(1, 2)] }]);
    expect(await audit()).toEqual({ accounts: 1, differing: 0, behind: 0 });
    expect([count, findings]).toEqual([{ pauses: 0, ranges: [[1, 2]] }, []]);
  });

  it('waits for rows that are not written yet, and continues after the last one', async () => {
    const reads = [rowsAt(1, 3), rowsAt(2, 3)];
    const { audit, count } = reviewed([{ seq: 3, balance: 15, reads }]);
    expect(await audit()).toEqual({ accounts: 1, differing: 0, behind: 0 });
    expect(count).toEqual({
      pauses: 1,
      ranges: [
        [1, 3],
        [2, 3],
      ],
    });
  });

  it.each([
    ['a missing row', { seq: 3, balance: 15, reads: [rowsAt(1, 3)] }, 'row 2 is missing: the next is 3'],
    ['a wrong sum', { seq: 2, balance: 9, reads: [rowsAt(1, 2)] }, 'the balance is 9, the rows add up to 10'],
    [
      'a wrong row of a ledger that is behind',
      { seq: 9, balance: 9, reads: [[{ seq: 1, amount: 5, balance: 6 }]] },
      'row 1 has the balance 6, the rows up to it add up to 5',
    ],
  ])('reports %s as a difference', async (_, account, problem) => {
    const { audit, findings } = reviewed([account]);
    expect(await audit()).toEqual({ accounts: 1, differing: 1, behind: 0 });
    expect(findings).toEqual([{ accountId: 1, kind: 'difference', problem }]);
  });

  it('pauses ten times for a ledger that stays behind, and reports it as behind', async () => {
    const { audit, count, findings } = reviewed([{ seq: 3, balance: 15, reads: [rowsAt(1, 2)] }]);
    expect(await audit()).toEqual({ accounts: 1, differing: 0, behind: 1 });
    expect(count.pauses).toBe(10);
    expect(findings).toEqual([
      { accountId: 1, kind: 'behind', problem: 'the ledger has 2 rows, the meter has counted 3 entries' },
    ]);
  });

  it('waits no longer once 20 accounts have stayed behind, and still checks all others', async () => {
    const behind = Array.from({ length: 40 }, () => ({ seq: 1, balance: 5, reads: [[]] }));
    const { audit, count } = reviewed([...behind, { seq: 1, balance: 4, reads: [rowsAt(1)] }]);
    expect(await audit()).toEqual({ accounts: 41, differing: 1, behind: 40 });
    expect(count.pauses).toBe(200);
  });
});

describe('a rebuild', () => {
  it('adds up all rows, including those after a gap', async () => {
    const { rebuild, findings } = reviewed([{ seq: 4, balance: 15, reads: [rowsAt(1, 3, 4)] }]);
    expect(await rebuild()).toEqual({ accounts: 1, differing: 1, behind: 0 });
    expect(findings).toMatchObject([
      { kind: 'difference', problem: 'rebuilt from 3 of 4 rows, the balance is 15; stored is 15' },
    ]);
  });

  it('finds no difference in a complete ledger', async () => {
    const { rebuild } = reviewed([{ seq: 2, balance: 10, reads: [rowsAt(1, 2)] }]);
    expect(await rebuild()).toEqual({ accounts: 1, differing: 0, behind: 0 });
  });

  it('reports a complete ledger with another sum as a difference', async () => {
    const { rebuild } = reviewed([{ seq: 2, balance: 9, reads: [rowsAt(1, 2)] }]);
    expect(await rebuild()).toEqual({ accounts: 1, differing: 1, behind: 0 });
  });

  it('reports a ledger without its last rows as behind', async () => {
    const { rebuild, findings } = reviewed([{ seq: 3, balance: 15, reads: [rowsAt(1)] }]);
    expect(await rebuild()).toEqual({ accounts: 1, differing: 0, behind: 1 });
    expect(findings).toMatchObject([{ problem: 'rebuilt from 1 of 3 rows, the balance is 5; stored is 15' }]);
  });
});
