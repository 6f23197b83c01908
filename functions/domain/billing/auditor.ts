import { auditLedger, type LedgerRow } from './ledger.ts';

/** How a meter stands. `balance` in microcredits. */
export interface Standing {
  readonly accountId: number;
  readonly seq: number;
  readonly balance: number;
}

/** Reads of whole tables. */
export interface AuditReads {
  meters(): AsyncIterable<Standing>;
  /** An account's rows up to a `seq`, oldest first. Waits a moment for rows that may be on their way. */
  rows(accountId: number, seq: number): Promise<LedgerRow[]>;
  /** The rows of all accounts, in any order. */
  allRows(): AsyncIterable<LedgerRow>;
}

export interface Audit {
  readonly accounts: number;
  readonly differences: readonly Difference[];
}

/** An account, and what is wrong with it in words. */
export interface Difference {
  readonly accountId: number;
  readonly what: string;
}

/** Checks every meter against its ledger, as it was when the meter was read: a live service may go on. */
export function auditor(reads: AuditReads) {
  async function audit(): Promise<Audit> {
    const differences: Difference[] = [];
    let accounts = 0;
    for await (const { accountId, seq, balance } of reads.meters()) {
      accounts += 1;
      const found = auditLedger(await reads.rows(accountId, seq), seq, balance);
      differences.push(...found.map((what) => ({ accountId, what })));
    }
    return { accounts, differences };
  }

  /**
   * Rebuilds every balance from the ledger table alone and compares it with the stored one, as after a restore. The
   * ledger of an account that was purged stays: it has no meter to compare with.
   */
  async function rebuild(): Promise<Audit> {
    const meters = new Map<number, Standing>();
    for await (const meter of reads.meters()) meters.set(meter.accountId, meter);
    const rebuilt = new Map<number, { rows: number; sum: number }>();
    for await (const { accountId, seq, amount } of reads.allRows()) {
      if (seq > (meters.get(accountId)?.seq ?? 0)) continue;
      const { rows, sum } = rebuilt.get(accountId) ?? nothing;
      rebuilt.set(accountId, { rows: rows + 1, sum: sum + amount });
    }
    const differences = [...meters.values()].flatMap((meter) => {
      const { rows, sum } = rebuilt.get(meter.accountId) ?? nothing;
      if (rows === meter.seq && sum === meter.balance) return [];
      const what = `rebuilt from ${rows} of ${meter.seq} rows, the balance is ${sum}; stored is ${meter.balance}`;
      return [{ accountId: meter.accountId, what }];
    });
    return { accounts: meters.size, differences };
  }

  return { audit, rebuild };
}

const nothing = { rows: 0, sum: 0 };
