import type { LedgerEntry } from './meter/meter.ts';

/** One immutable row: what ended, and the balance (microcredits) after it. */
export interface LedgerRow extends LedgerEntry {
  readonly accountId: number;
  readonly seq: number;
  readonly balance: number;
}

export interface LedgerStore {
  /** Writes the row unless it is there: rows are never changed, and a repeat changes nothing. */
  append(row: LedgerRow): Promise<void>;
  /** Notes a key's last use, `at` in epoch ms; an earlier use changes nothing. */
  markKeyUsed(accountId: number, keyId: string, at: number): Promise<void>;
}

/** What a meter's stream image tells: the entries that ended with `seq`, and the balance after the last of them. */
export interface MeterImage {
  readonly accountId: number;
  readonly seq: number;
  readonly balance: number;
  readonly entries: readonly LedgerEntry[];
}

/** The rows of an image, each with the balance as it was after its entry. */
function ledgerRows({ accountId, seq, balance, entries }: MeterImage): LedgerRow[] {
  let after = balance;
  const rows = entries.toReversed().map((entry, age) => {
    const row = { ...entry, accountId, seq: seq - age, balance: after };
    after -= entry.amount;
    return row;
  });
  return rows.toReversed();
}

export async function projectLedger(store: LedgerStore, image: MeterImage): Promise<void> {
  for (const row of ledgerRows(image)) {
    await store.append(row);
    if (row.keyId) await store.markKeyUsed(row.accountId, row.keyId, row.at * 1000);
  }
}
