import { microPerCredit } from '#contract/billing/prices.ts';
import { dayMs } from '#contract/shared/time.ts';
import { type Alert, alertsOf, type ChargedAccount, chargedBudget } from '../alerts/alerts.ts';
import { balance, heldCredits, type LedgerEntry, type Meter, type SubscriptionChange } from '../meter/meter.ts';
import { periodStart } from '../meter/periods.ts';
import { archivedBefore } from './archive.ts';

export interface LedgerRow extends LedgerEntry {
  readonly accountId: number;
  readonly seq: number;
  readonly balance: number;
}

export interface LedgerStore {
  /** Writes a row and adds it to its day. Has no effect if the row exists or, for `mayBeArchived`, is archived. */
  append(row: LedgerRow, mayBeArchived?: boolean): Promise<void>;
  /** Writes rows that do not exist yet. `count` adds them to their days later. */
  insert(rows: readonly LedgerRow[]): Promise<void>;
  /** Adds all inserted rows to their days, once. */
  count(accountId: number): Promise<void>;
  /** Stores the time of a key's last use, to the minute. */
  markKeyUsed(accountId: number, keyId: string, at: number): Promise<void>;
  /** Writes the alert and its email: once per rule, key and period, and at most 100 per day. */
  announce(alert: Alert): Promise<void>;
  /** Writes the email about a plan's end, once per account and date. */
  announceEnd(accountId: number, end: PlanEnd): Promise<void>;
  /** Writes the email about a change of the plan, unless the owner switched it off. */
  announceChange(accountId: number, change: PlanChange): Promise<void>;
  /** Writes the email about a plan that ended because it was not paid, once per account and date. */
  announceUnpaid(accountId: number, end: PlanEnd): Promise<void>;
}

/** A subscription's change, by the ledger row that records it. `at` in epoch seconds, `now` in epoch ms. */
export interface PlanChange extends SubscriptionChange {
  readonly seq: number;
  readonly at: number;
  readonly now: number;
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
  const { accountId, seq, used, alerts, cap } = meter;
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
    ...(cap && { cap: { ...cap, used: cap.used - heldCredits(meter) } }),
    ...(meter.topUpBelow !== undefined && { topUpBelow: meter.topUpBelow }),
  };
}

/** Rows of an account between counts: with fewer, counting would use more write units than the rows. */
const rowsPerCount = 128;

/** Called for the write with which the balance fell below the threshold of the automatic top-up. */
type OnLow = (accountId: number) => Promise<void>;

const nothing: OnLow = async () => undefined;

/** Projects one image, in any order with others. */
export async function projectLedger(
  store: LedgerStore,
  image: MeterImage,
  now: number,
  onLow = nothing,
): Promise<readonly LedgerRow[]> {
  const rows = ledgerRows(image);
  for (const row of rows) await store.append(row, row.at < archivedBefore(now));
  await announceAll(store, [image], rows, onLow, now);
  return rows;
}

/** Projects images of one account in the order of its writes, with fewer requests and write units. */
export async function projectInOrder(
  store: LedgerStore,
  images: readonly MeterImage[],
  now: number,
  onLow = nothing,
): Promise<readonly LedgerRow[]> {
  const rows = images.flatMap(ledgerRows);
  const before = archivedBefore(now);
  for (const row of rows) if (row.at < before) await store.append(row, true);
  await store.insert(rows.filter(({ at }) => at >= before));
  await announceAll(store, images, rows, onLow, now);
  const due = rows.find(({ seq }) => seq % rowsPerCount === 0);
  if (due) await store.count(due.accountId);
  return rows;
}

async function announceAll(
  store: LedgerStore,
  images: readonly MeterImage[],
  rows: readonly LedgerRow[],
  onLow: OnLow,
  now: number,
): Promise<void> {
  const used = new Map(rows.flatMap((row) => (row.keyId ? [[row.keyId, row] as const] : [])));
  for (const [keyId, { accountId, at }] of used) await store.markKeyUsed(accountId, keyId, at * 1000);
  for (const image of images) await announce(store, image, onLow, now);
}

async function announce(store: LedgerStore, image: MeterImage, onLow: OnLow, now: number): Promise<void> {
  for (const alert of alertsOf(image)) await store.announce(alert);
  if (fellBelow(image)) await onLow(image.accountId);
  await announceChange(store, image, now);
  for (const { at, change } of image.entries) {
    if (change?.effectiveAt === undefined) continue;
    const end = { plan: change.plan, from: change.effectiveAt, at };
    if (change.kind === 'ending') await store.announceEnd(image.accountId, end);
    if (change.kind === 'ended_unpaid') await store.announceUnpaid(image.accountId, end);
  }
}

/** Age in ms of changes that a replay does not announce again. The record of a sent email is kept for longer. */
const newsMs = 7 * dayMs;

/**
 * Announces only the last of several changes, such as months that ended without calls. A receipt announces a payment.
 */
async function announceChange(store: LedgerStore, image: MeterImage, now: number): Promise<void> {
  const last = ledgerRows(image).findLast(({ change }) => change !== undefined);
  if (!last?.change || last.payment !== undefined || last.at * 1000 < now - newsMs) return;
  const { accountId, seq, at, change } = last;
  await store.announceChange(accountId, { ...change, seq, at, now });
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
