import { type Alert, alertsOf, type Charged, chargedBudget } from '../alerts/alerts.ts';
import { periodStart } from '../meter/credits/billing.ts';
import { balance, type LedgerEntry, type Meter } from '../meter/meter.ts';
import { archivedBefore } from './archive.ts';

/** One immutable row: what ended, and the balance (microcredits) after it. */
export interface LedgerRow extends LedgerEntry {
  readonly accountId: number;
  readonly seq: number;
  readonly balance: number;
}

export interface LedgerStore {
  /**
   * Writes the row and counts it in its day, unless it is there: rows never change, a repeat changes nothing. A row that
   * `mayBeArchived` is there if it is archived.
   */
  append(row: LedgerRow, mayBeArchived?: boolean): Promise<void>;
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

/** Gives the rows of the image, which the ledger has now, at `now` (epoch ms). */
export async function projectLedger(store: LedgerStore, image: MeterImage, now: number): Promise<readonly LedgerRow[]> {
  const rows = ledgerRows(image);
  for (const row of rows) {
    await store.append(row, row.at < archivedBefore(now));
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

/** The attributes of a row that an audit adds up. */
export type LedgerAmounts = Pick<LedgerRow, 'seq' | 'amount' | 'balance'>;

/** How far the rows of an account add up. Amounts in microcredits. */
export interface LedgerTally {
  /** Rows counted and their sum. */
  readonly rows: number;
  readonly sum: number;
  /** The first row whose balance is not the sum of the rows up to it. */
  readonly wrong?: string;
}

export const emptyTally: LedgerTally = { rows: 0, sum: 0 };

/** Adds one more row: an audit reads a ledger once, in constant memory. */
export function addRow({ rows, sum, wrong }: LedgerTally, { seq, amount, balance }: LedgerAmounts): LedgerTally {
  const after = sum + amount;
  const found =
    wrong ??
    (balance === after ? undefined : `row ${seq} has the balance ${balance}, the rows up to it add up to ${after}`);
  return { rows: rows + 1, sum: after, ...(found !== undefined && { wrong: found }) };
}

/** The differences between an account's rows, oldest first, and its meter: none if they have no gap and add up to the balance. */
export function auditLedger(rows: readonly LedgerAmounts[], seq: number, balance: number): string[] {
  const gap = rows.find((row, index) => row.seq !== index + 1);
  if (gap) return [missingRow(rows.indexOf(gap) + 1, gap.seq)];
  const tally = rows.reduce(addRow, emptyTally);
  const isShort = rows.length !== seq;
  return [
    ...wrongSums(tally, balance),
    ...(isShort ? [`the meter has counted ${seq} entries, the ledger has ${rows.length} rows`] : []),
  ];
}

export const missingRow = (seq: number, next: number): string => `row ${seq} is missing: the next is ${next}`;

/** The differences of a ledger with all its rows. */
export function wrongSums({ sum, wrong }: LedgerTally, balance: number): string[] {
  return [
    ...(wrong === undefined ? [] : [wrong]),
    ...(sum === balance ? [] : [`the balance is ${balance}, the rows add up to ${sum}`]),
  ];
}
