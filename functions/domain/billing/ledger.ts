import { microPerCredit } from '#contract/billing/prices.ts';
import { type Alert, alertsOf, type ChargedAccount, chargedBudget } from '../alerts/alerts.ts';
import { balance, type LedgerEntry, type Meter } from '../meter/meter.ts';
import { periodStart } from '../meter/periods.ts';
import { archivedBefore } from './archive.ts';

export interface LedgerRow extends LedgerEntry {
  readonly accountId: number;
  readonly seq: number;
  readonly balance: number;
}

export interface LedgerStore {
  /** Has no effect if the row exists or, for `mayBeArchived`, is archived. */
  append(row: LedgerRow, mayBeArchived?: boolean): Promise<void>;
  markKeyUsed(accountId: number, keyId: string, at: number): Promise<void>;
  /** Writes the alert and its email: once per rule, key and period, and at most 100 per day. */
  announce(alert: Alert): Promise<void>;
  /** Writes the email about a plan's end, once per account and date. */
  announceEnd(accountId: number, end: PlanEnd): Promise<void>;
  /** Writes the email about a plan that ended because it was not paid, once per account and date. */
  announceUnpaid(accountId: number, end: PlanEnd): Promise<void>;
}

/** The plan, by name, ends at `from`. Times in epoch seconds. */
export interface PlanEnd {
  readonly plan: string;
  readonly from: number;
  readonly at: number;
}

/** A meter's stream image: the entries of one write, the last of which has `seq`, and the account's state after it. */
export interface MeterImage extends ChargedAccount {
  readonly seq: number;
  readonly topUpBelow?: number;
}

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
    ...(meter.topUpBelow !== undefined && { topUpBelow: meter.topUpBelow }),
  };
}

/** `onLow` is called for the write with which the balance fell below the threshold of the automatic top-up. */
export async function projectLedger(
  store: LedgerStore,
  image: MeterImage,
  now: number,
  onLow: (accountId: number) => Promise<void> = async () => undefined,
): Promise<readonly LedgerRow[]> {
  const rows = ledgerRows(image);
  for (const row of rows) {
    await store.append(row, row.at < archivedBefore(now));
    if (row.keyId) await store.markKeyUsed(row.accountId, row.keyId, row.at * 1000);
  }
  for (const alert of alertsOf(image)) await store.announce(alert);
  if (fellBelow(image)) await onLow(image.accountId);
  for (const { at, change } of image.entries) {
    if (change?.effectiveAt === undefined) continue;
    const end = { plan: change.plan, from: change.effectiveAt, at };
    if (change.kind === 'ending') await store.announceEnd(image.accountId, end);
    if (change.kind === 'ended_unpaid') await store.announceUnpaid(image.accountId, end);
  }
  return rows;
}

function fellBelow({ balance, entries, topUpBelow = 0 }: MeterImage): boolean {
  const threshold = topUpBelow * microPerCredit;
  const before = balance - entries.reduce((sum, { amount }) => sum + amount, 0);
  return balance < threshold && before >= threshold;
}

export function ledgerRows({ accountId, seq, balance, entries }: MeterImage): LedgerRow[] {
  let after = balance;
  const rows = entries.toReversed().map((entry, age) => {
    const row = { ...entry, accountId, seq: seq - age, balance: after };
    after -= entry.amount;
    return row;
  });
  return rows.toReversed();
}

export type LedgerAmounts = Pick<LedgerRow, 'seq' | 'amount' | 'balance'>;

export interface LedgerTally {
  readonly rows: number;
  readonly sum: number;
  readonly wrong?: string;
}

export const emptyTally: LedgerTally = { rows: 0, sum: 0 };

/** Adds a row, so that an audit reads a ledger once in constant memory. */
export function addRow({ rows, sum, wrong }: LedgerTally, { seq, amount, balance }: LedgerAmounts): LedgerTally {
  const after = sum + amount;
  const found =
    wrong ??
    (balance === after ? undefined : `row ${seq} has the balance ${balance}, the rows up to it add up to ${after}`);
  return { rows: rows + 1, sum: after, ...(found !== undefined && { wrong: found }) };
}

export const missingRow = (seq: number, next: number): string => `row ${seq} is missing: the next is ${next}`;

export function wrongSums({ sum, wrong }: LedgerTally, balance: number): string[] {
  return [
    ...(wrong === undefined ? [] : [wrong]),
    ...(sum === balance ? [] : [`the balance is ${balance}, the rows add up to ${sum}`]),
  ];
}
