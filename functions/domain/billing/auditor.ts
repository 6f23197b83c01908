import { addRow, emptyTally, type LedgerAmounts, type LedgerTally, missingRow, wrongSums } from './ledger.ts';

export interface MeterState {
  readonly accountId: number;
  readonly seq: number;
  readonly balance: number;
}

export interface AuditReads {
  meters(): AsyncIterable<MeterState>;
  rows(accountId: number, from: number, to: number): AsyncIterable<LedgerAmounts>;
  pause(): Promise<void>;
}

/** Totals: audited accounts, accounts that differ from their ledger, and accounts whose ledger is behind. */
export interface Audit {
  readonly accounts: number;
  readonly differing: number;
  readonly behind: number;
}

/** `behind`: the existing rows are correct, but the projector has not written the last ones yet. */
export interface Finding {
  readonly accountId: number;
  readonly kind: 'difference' | 'behind';
  readonly problem: string;
}

/** `next`: the first row after the gap; absent at the end of the ledger. */
interface Read {
  readonly tally: LedgerTally;
  readonly next?: LedgerAmounts;
}

const concurrentAccounts = 4;
/** Maximum pauses per account, and accounts without progress after which the projector is considered stopped. */
const maxPauses = 10;
const maxStalledAccounts = 20;

/** Compares every meter with its ledger as of the time the meter was read, so that it can run on a live service. */
export function auditor(reads: AuditReads) {
  const audit = (report: (finding: Finding) => void): Promise<Audit> =>
    auditEachAccount(report, async ({ seq, balance }, { tally, next }) => {
      if (next) return { kind: 'difference', problems: [missingRow(tally.rows + 1, next.seq)] };
      if (tally.rows === seq) return { kind: 'difference', problems: wrongSums(tally, balance) };
      if (tally.wrong !== undefined) return { kind: 'difference', problems: [tally.wrong] };
      return { kind: 'behind', problems: [`the ledger has ${tally.rows} rows, the meter has counted ${seq} entries`] };
    });

  /** Recomputes every balance from the rows, as after a restore. Skips the ledgers of purged accounts. */
  const rebuild = (report: (finding: Finding) => void): Promise<Audit> =>
    auditEachAccount(report, async ({ accountId, seq, balance }, { tally, next }) => {
      let { rows, sum } = tally;
      if (next) {
        for await (const { amount } of reads.rows(accountId, next.seq, seq)) {
          rows += 1;
          sum += amount;
        }
      }
      const isBehind = !next && rows < seq;
      if (rows === seq && sum === balance) return { kind: 'difference', problems: [] };
      const problem = `rebuilt from ${rows} of ${seq} rows, the balance is ${sum}; stored is ${balance}`;
      return { kind: isBehind ? 'behind' : 'difference', problems: [problem] };
    });

  type Judge = (meter: MeterState, read: Read) => Promise<{ kind: Finding['kind']; problems: readonly string[] }>;

  async function auditEachAccount(report: (finding: Finding) => void, judge: Judge): Promise<Audit> {
    const count = { accounts: 0, difference: 0, behind: 0 };
    const meters = reads.meters()[Symbol.asyncIterator]();
    let inVain = 0;

    async function auditAccounts(): Promise<void> {
      for (let meter = await meters.next(); !meter.done; meter = await meters.next()) {
        const { accountId } = meter.value;
        const read = await readLedger(meter.value, () => inVain < maxStalledAccounts);
        if (read.tally.rows < meter.value.seq) inVain += 1;
        const { kind, problems } = await judge(meter.value, read);
        count.accounts += 1;
        if (problems.length > 0) count[kind] += 1;
        for (const text of problems) report({ accountId, kind, problem: text });
      }
    }

    await Promise.all(Array.from({ length: concurrentAccounts }, auditAccounts));
    return { accounts: count.accounts, differing: count.difference, behind: count.behind };
  }

  /** Reads each row once. A missing row may not be written yet, so the read resumes there after a pause. */
  async function readLedger({ accountId, seq }: MeterState, mayWait: () => boolean): Promise<Read> {
    let tally = emptyTally;
    for (let pauses = 0; ; pauses++) {
      let next: LedgerAmounts | undefined;
      for await (const row of reads.rows(accountId, tally.rows + 1, seq)) {
        if (row.seq !== tally.rows + 1) {
          next = row;
          break;
        }
        tally = addRow(tally, row);
      }
      if (tally.rows >= seq || pauses === maxPauses || !mayWait()) return { tally, ...(next && { next }) };
      await reads.pause();
    }
  }

  return { audit, rebuild };
}
