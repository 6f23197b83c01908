import { type Alert, alertsOf, type Charged, chargedBudget } from '../alerts/alerts.ts';
import { periodStart } from '../meter/credits/billing.ts';
import { balance, type LedgerEntry, type Meter } from '../meter/meter.ts';

/** One immutable row: what ended, and the balance (microcredits) after it. */
export interface LedgerRow extends LedgerEntry {
  readonly accountId: number;
  readonly seq: number;
  readonly balance: number;
}

export interface LedgerStore {
  /** Writes the row and counts it in its day, unless it is there: rows never change, a repeat changes nothing. */
  append(row: LedgerRow): Promise<void>;
  /** Notes a key's last use, `at` in epoch ms; an earlier use changes nothing. */
  markKeyUsed(accountId: number, keyId: string, at: number): Promise<void>;
  /** Writes the alert and its mail together, once for each rule, key and period, and no more than a hundred in a day. */
  announce(alert: Alert): Promise<void>;
}

/** What a meter's stream image contains: the entries that ended with `seq`, and how the account stood after the last. */
export interface MeterImage extends Charged {
  readonly seq: number;
}

/** Of a meter as a write left it that ended something. */
export function imageOf(meter: Meter, entries: readonly LedgerEntry[]): MeterImage {
  const { accountId, seq, used, alerts } = meter;
  const budget = chargedBudget(meter, entries.at(-1)?.keyId);
  return {
    accountId,
    seq,
    balance: balance(meter),
    used,
    period: periodStart(meter.period),
    entries,
    ...(alerts && { alerts }),
    ...(budget && { budget }),
  };
}

/** Gives the rows of the image, which the ledger has now. */
export async function projectLedger(store: LedgerStore, image: MeterImage): Promise<readonly LedgerRow[]> {
  const rows = ledgerRows(image);
  for (const row of rows) {
    await store.append(row);
    if (row.keyId) await store.markKeyUsed(row.accountId, row.keyId, row.at * 1000);
  }
  for (const alert of alertsOf(image)) await store.announce(alert);
  return rows;
}

/** The rows of an image, each with the balance as it was after its entry. */
export function ledgerRows({ accountId, seq, balance, entries }: MeterImage): LedgerRow[] {
  let after = balance;
  const rows = entries.toReversed().map((entry, age) => {
    const row = { ...entry, accountId, seq: seq - age, balance: after };
    after -= entry.amount;
    return row;
  });
  return rows.toReversed();
}

/** What is wrong with an account's ledger: nothing, where its rows have no gap and add up to the balance. */
export function auditLedger(rows: readonly LedgerRow[], seq: number, balance: number): string[] {
  const differences: string[] = [];
  let sum = 0;
  for (const [index, row] of rows.entries()) {
    sum += row.amount;
    if (row.seq !== index + 1) return [`row ${index + 1} is missing: the next is ${row.seq}`];
    if (row.balance !== sum)
      differences.push(`row ${row.seq} has the balance ${row.balance}, the rows up to it add up to ${sum}`);
  }
  if (rows.length !== seq) differences.push(`the meter has counted ${seq} entries, the ledger has ${rows.length} rows`);
  if (sum !== balance) differences.push(`the balance is ${balance}, the rows add up to ${sum}`);
  return differences;
}
