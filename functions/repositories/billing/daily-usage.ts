import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { dayOf } from '#contract/shared/time.ts';
import type { LedgerRow } from '#domain/billing/ledger.ts';
import { readItem } from '../shared/read-items.ts';
import { readable } from '../shared/readable.ts';
import { commit, type TransactItem } from '../shared/transaction.ts';
import { LedgerItem, rowKey, usagePrefixes } from './ledger-items.ts';

/** Item with the `seq` up to which daily totals include the rows that were written without being counted. */
const countKey = (accountId: number) => ({ a: accountId, sk: 'counted' });

/** Attribute of a row that daily totals did not include when it was written. */
export const uncounted = { uncounted: true } as const;

/** Maximum items of a transaction. */
const maxItems = 100;

/** More than the rows that usually wait, so that an account without older ones needs one read. */
const rowsPerRead = 400;

/** Consecutive reads without an uncounted row after which the first count of an account ends: 100,000 rows. */
const maxEmptyReads = 250;

/** Totals of one day in the `ledger` table: in full detail, over all keys, and by key. */
export interface DayTotal {
  readonly sk: string;
  readonly names: Readonly<Record<string, string | null>>;
  readonly added: Readonly<Record<string, number>>;
}

export const isCharged = ({ type, amount }: Pick<LedgerRow, 'type' | 'amount'>): boolean =>
  type === 'charge' && amount < 0;

/** The totals of these charges, sorted by key like the table. */
export function dayTotals(rows: readonly LedgerRow[]): DayTotal[] {
  const totals = new Map<string, DayTotal>();
  for (const total of rows.flatMap(totalsOf)) {
    const added: Record<string, number> = { ...totals.get(total.sk)?.added };
    for (const [name, count] of Object.entries(total.added)) added[name] = (added[name] ?? 0) + count;
    totals.set(total.sk, { ...total, added });
  }
  return [...totals.values()].toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
}

function totalsOf({ at, keyId, amount, tokens, ...row }: LedgerRow): DayTotal[] {
  const date = dayOf(at * 1000);
  const [service, model, key] = [row.service ?? '', row.model ?? '', keyId ?? null];
  const { detail, kind, key: byKey } = usagePrefixes;
  const counts = tokens && { inputTokens: tokens.input, cachedTokens: tokens.cached, outputTokens: tokens.output };
  const added = { calls: 1, cost: -amount, ...counts };
  return [
    { sk: `${detail}${date}#${service}#${model}#${keyId ?? ''}`, names: { date, service, model, keyId: key }, added },
    { sk: `${kind}${date}#${service}#${model}`, names: { date, service, model }, added },
    { sk: `${byKey}${date}#${keyId ?? ''}`, names: { date, keyId: key }, added },
  ];
}

/** The write that adds a total to its day. */
export function addition(TableName: string, accountId: number, { sk, names, added }: DayTotal): TransactItem {
  const fields = Object.entries(names);
  const sums = Object.keys(added).map((name) => `${name} :${name}`);
  const settings = fields.map(([name]) => `#${name} = :${name}`);
  return {
    Update: {
      TableName,
      Key: { a: accountId, sk },
      UpdateExpression: `ADD ${sums.join(', ')} SET ${settings.join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(
        [...Object.entries(added), ...fields].map(([name, value]) => [`:${name}`, value]),
      ),
    },
  };
}

export function usageCounter(client: DynamoDBDocumentClient, TableName: string) {
  async function through(accountId: number): Promise<number | undefined> {
    const item = await readItem(client, TableName, countKey(accountId));
    return item && v.parse(v.object({ through: v.number() }), item).through;
  }

  /**
   * Reads the charges that daily totals do not include yet, oldest first. Before the first count of an account,
   * `emptyReads` reads without any end it: older rows were counted when they were written.
   */
  async function rowsAfter(accountId: number, last: number | undefined, emptyReads = 1): Promise<LedgerRow[]> {
    const query = {
      TableName,
      KeyConditionExpression: 'a = :account AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':account': accountId,
        ':from': rowKey(accountId, (last ?? 0) + 1).sk,
        ':to': rowKey(accountId, Number.MAX_SAFE_INTEGER).sk,
      },
      ConsistentRead: true,
      ScanIndexForward: false,
      Limit: rowsPerRead,
    };
    const rows: LedgerRow[] = [];
    let empty = 0;
    for await (const { Items = [] } of paginateQuery({ client }, query)) {
      const waiting = Items.filter((item) => item['uncounted'] === true);
      rows.push(...readable(LedgerItem, waiting));
      empty = waiting.length === 0 ? empty + 1 : 0;
      if (last === undefined && empty === emptyReads) break;
    }
    return rows.toReversed();
  }

  /** Adds rows up to a `seq` to their days, once: the write that moves `through` fails after a concurrent one. */
  async function add(accountId: number, from: number | undefined, to: number, totals: readonly DayTotal[]) {
    const isUnchanged = from === undefined ? 'attribute_not_exists(through)' : 'through = :from';
    const moved = {
      Update: {
        TableName,
        Key: countKey(accountId),
        UpdateExpression: 'SET through = :to',
        ConditionExpression: isUnchanged,
        ExpressionAttributeValues: { ':to': to, ...(from !== undefined && { ':from': from }) },
      },
    };
    return commit(client, [moved, ...totals.map((total) => addition(TableName, accountId, total))]);
  }

  /** Returns false after a concurrent count. */
  async function addAll(accountId: number, last: number | undefined, all: readonly LedgerRow[]): Promise<boolean> {
    let [from, rows] = [last, all];
    while (rows.length > 0) {
      let size = rows.length;
      let totals = dayTotals(rows);
      for (; totals.length >= maxItems; totals = dayTotals(rows.slice(0, size))) size = Math.ceil(size / 2);
      const to = rows[size - 1]?.seq ?? 0;
      if (!(await add(accountId, from, to, totals))) return false;
      [from, rows] = [to, rows.slice(size)];
    }
    return true;
  }

  return {
    through,
    rowsAfter,
    /**
     * Adds uncounted rows to the daily totals, once. Rows before them must not be inserted later, so beside a projector
     * only the rows up to the first that is not older than `before` (epoch seconds) may be counted.
     */
    async count(accountId: number, before = Number.POSITIVE_INFINITY): Promise<void> {
      for (;;) {
        const last = await through(accountId);
        const rows = await rowsAfter(accountId, last, maxEmptyReads);
        const end = rows.findIndex(({ at }) => at >= before);
        if (await addAll(accountId, last, end === -1 ? rows : rows.slice(0, end))) return;
      }
    },
  };
}
