import { addRow, emptyTally, type LedgerAmounts, type LedgerTally, missingRow, wrongSums } from './ledger.ts';

/** How a meter stands. `balance` in microcredits. */
export interface Standing {
  readonly accountId: number;
  readonly seq: number;
  readonly balance: number;
}

/** Reads of whole tables, a page in memory at a time. */
export interface AuditReads {
  meters(): AsyncIterable<Standing>;
  /** An account's rows from a `seq` up to another, oldest first. */
  rows(accountId: number, from: number, to: number): AsyncIterable<LedgerAmounts>;
  /** Waits until rows that are on their way may have come. */
  pause(): Promise<void>;
}

/** How many accounts were audited, differ from their ledger, and are ahead of it. */
export interface Audit {
  readonly accounts: number;
  readonly differing: number;
  readonly behind: number;
}

/**
 * A finding about an account. A ledger is behind if its last rows are not written yet: as far as it goes, it is right,
 * and the projector writes the rest.
 */
export interface Finding {
  readonly accountId: number;
  readonly kind: 'difference' | 'behind';
  readonly what: string;
}

/** Rows of an account up to the first gap. `next` is the first row after that gap, or missing at the ledger's end. */
interface Read {
  readonly tally: LedgerTally;
  readonly next?: LedgerAmounts;
}

/** Each holds a page of rows in memory. */
const concurrentAccounts = 4;
/** Pauses for the rows of one account, and accounts that are waited for in vain: then the projector has stopped. */
const maxPauses = 10;
const maxAccountsInVain = 20;

/** Checks every meter against its ledger, as it was when the meter was read: a live service may go on. */
export function auditor(reads: AuditReads) {
  /** Reports each finding immediately, so that memory does not grow with their number. */
  const audit = (report: (finding: Finding) => void): Promise<Audit> =>
    ofEveryAccount(report, async ({ seq, balance }, { tally, next }) => {
      if (next) return { kind: 'difference', what: [missingRow(tally.rows + 1, next.seq)] };
      if (tally.rows === seq) return { kind: 'difference', what: wrongSums(tally, balance) };
      if (tally.wrong !== undefined) return { kind: 'difference', what: [tally.wrong] };
      return { kind: 'behind', what: [`the ledger has ${tally.rows} rows, the meter has counted ${seq} entries`] };
    });

  /**
   * Rebuilds every balance from the amounts of the rows alone and compares it with the stored one, as after a restore.
   * The ledger of an account that was purged stays: it has no meter to compare with.
   */
  const rebuild = (report: (finding: Finding) => void): Promise<Audit> =>
    ofEveryAccount(report, async ({ accountId, seq, balance }, { tally, next }) => {
      let { rows, sum } = tally;
      if (next) {
        for await (const { amount } of reads.rows(accountId, next.seq, seq)) {
          rows += 1;
          sum += amount;
        }
      }
      const isBehind = !next && rows < seq;
      if (rows === seq && sum === balance) return { kind: 'difference', what: [] };
      const what = `rebuilt from ${rows} of ${seq} rows, the balance is ${sum}; stored is ${balance}`;
      return { kind: isBehind ? 'behind' : 'difference', what: [what] };
    });

  type Judge = (meter: Standing, read: Read) => Promise<{ kind: Finding['kind']; what: readonly string[] }>;

  async function ofEveryAccount(report: (finding: Finding) => void, judge: Judge): Promise<Audit> {
    const count = { accounts: 0, difference: 0, behind: 0 };
    const meters = reads.meters()[Symbol.asyncIterator]();
    let inVain = 0;

    async function auditAccounts(): Promise<void> {
      for (let meter = await meters.next(); !meter.done; meter = await meters.next()) {
        const { accountId } = meter.value;
        const read = await readLedger(meter.value, () => inVain < maxAccountsInVain);
        if (read.tally.rows < meter.value.seq) inVain += 1;
        const { kind, what } = await judge(meter.value, read);
        count.accounts += 1;
        if (what.length > 0) count[kind] += 1;
        for (const text of what) report({ accountId, kind, what: text });
      }
    }

    await Promise.all(Array.from({ length: concurrentAccounts }, auditAccounts));
    return { accounts: count.accounts, differing: count.difference, behind: count.behind };
  }

  /** Reads each row once. A row that is missing may be on its way: the read goes on from there after a pause. */
  async function readLedger({ accountId, seq }: Standing, mayWait: () => boolean): Promise<Read> {
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
