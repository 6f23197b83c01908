import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { lotSource } from '#contract/billing/credits.ts';
import { changeKinds } from '#contract/billing/plans.ts';
import { serviceNames } from '#contract/billing/prices.ts';
import { isInstant } from '#contract/shared/fields.ts';
import { dayOf } from '#contract/shared/time.ts';
import type { LedgerAmounts, LedgerRow } from '#domain/billing/ledger.ts';
import { type UsageCounts, partOf } from '#domain/billing/statements.ts';
import { readItem, readable } from '../shared/read-items.ts';
import { commit, type TransactItem } from '../shared/transaction.ts';

/** Sort keys of the `ledger` table order rows by `seq` and days by date. */
export const rowKey = (accountId: number, seq: number) => ({
  a: accountId,
  sk: `row#${String(seq).padStart(16, '0')}`,
});

export const archiveKey = (accountId: number) => ({ a: accountId, sk: 'archive' });

export const partKey = (accountId: number, first: number) => ({
  a: accountId,
  sk: `part#${String(first).padStart(16, '0')}`,
});

/** Reads the `seq` from the sort key, even for invalid rows; 0 for other items. */
export function seqOf(item: unknown): number {
  return Number(v.is(v.object({ sk: v.string() }), item) ? item.sk.slice('row#'.length) : 0);
}

/** Prefixes of daily totals: in full detail, over all keys, and over all services and models of a key. */
export const usagePrefixes = { detail: 'day#', kind: 'kind#', key: 'key#' } as const;

const Row = v.object({
  a: v.number(),
  seq: v.number(),
  type: v.picklist(['grant', 'charge', 'refund', 'expiry', 'adjustment']),
  at: v.pipe(
    v.number(),
    v.check((at) => isInstant(at * 1000)),
  ),
  amount: v.number(),
  balance: v.number(),
  service: v.exactOptional(v.picklist(serviceNames)),
  model: v.exactOptional(v.string()),
  price: v.exactOptional(v.string()),
  tokens: v.exactOptional(v.object({ input: v.number(), cached: v.number(), output: v.number() })),
  keyId: v.exactOptional(v.string()),
  requestId: v.exactOptional(v.string()),
  source: v.exactOptional(lotSource),
  job: v.exactOptional(
    v.object({ id: v.string(), status: v.string(), cost: v.number(), durationSeconds: v.exactOptional(v.number()) }),
  ),
  change: v.exactOptional(
    v.object({
      kind: v.picklist(changeKinds),
      plan: v.string(),
      effectiveAt: v.exactOptional(v.number()),
    }),
  ),
  payment: v.exactOptional(v.string()),
});

export const LedgerItem = v.pipe(
  Row,
  v.transform(({ a: accountId, ...row }): LedgerRow => ({ accountId, ...row })),
);

const Amounts = v.pick(Row, ['seq', 'amount', 'balance']);

export function amountsOf(item: unknown): LedgerAmounts {
  return v.parse(Amounts, item);
}

/** Item with the `seq` up to which daily totals include the rows that were written without being counted. */
const countKey = (accountId: number) => ({ a: accountId, sk: 'counted' });

/** Attribute of a row that daily totals did not include when it was written. */
export const uncounted = { uncounted: true } as const;

/** Maximum items of a transaction. */
const maxItems = 100;

/** Maximum attributes that one write adds to, within the 4 KB of an expression. */
const maxAdditions = 300;

/** More than the rows that usually wait, so that an account without older ones needs one read. */
const rowsPerRead = 400;

/** Consecutive reads without an uncounted row after which the first count of an account ends: 100,000 rows. */
const maxEmptyReads = 250;

/**
 * Prefixes of the attributes with the counts of a part of the day, such as `c31` (ADR 42). One letter keeps a day of
 * most keys within one write unit.
 */
export const partPrefixes: readonly (readonly [count: keyof UsageCounts, prefix: string])[] = [
  ['calls', 'c'],
  ['cost', 'm'],
  ['inputTokens', 'i'],
  ['cachedTokens', 'k'],
  ['outputTokens', 'o'],
];

const partNames: ReadonlyMap<string, string> = new Map(partPrefixes);

/** Daily totals in the `ledger` table: in full detail, over all keys, and by key. `added` also contains its parts. */
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
  const whole = Object.entries({ calls: 1, cost: -amount, ...counts });
  const part = partOf(at);
  const parts = whole.filter(([, count]) => count > 0).map(([name, count]) => [`${partNames.get(name)}${part}`, count]);
  const added = Object.fromEntries([...whole, ...parts]);
  return [
    { sk: `${detail}${date}#${service}#${model}#${keyId ?? ''}`, names: { date, service, model, keyId: key }, added },
    { sk: `${kind}${date}#${service}#${model}`, names: { date, service, model }, added },
    { sk: `${byKey}${date}#${keyId ?? ''}`, names: { date, keyId: key }, added },
  ];
}

const isTooLarge = (totals: readonly DayTotal[]): boolean =>
  totals.length >= maxItems || totals.some(({ added }) => Object.keys(added).length > maxAdditions);

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
   * Reads the charges that daily totals do not include yet, oldest first, and the newest `seq`. Before the first count
   * of an account, `emptyReads` reads without any end it: older rows were counted when they were written.
   */
  async function rowsAfter(
    accountId: number,
    last: number | undefined,
    emptyReads = 1,
  ): Promise<{ readonly rows: LedgerRow[]; readonly newest: number }> {
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
    let newest = last ?? 0;
    for await (const { Items = [] } of paginateQuery({ client }, query)) {
      newest = Math.max(newest, seqOf(Items[0]));
      const waiting = Items.filter((item) => item['uncounted'] === true);
      rows.push(...readable(LedgerItem, waiting));
      empty = waiting.length === 0 ? empty + 1 : 0;
      if (last === undefined && empty === emptyReads) break;
    }
    return { rows: rows.toReversed(), newest };
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
      for (; isTooLarge(totals); totals = dayTotals(rows.slice(0, size))) size = Math.ceil(size / 2);
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
        const { rows } = await rowsAfter(accountId, last, maxEmptyReads);
        const end = rows.findIndex(({ at }) => at >= before);
        if (await addAll(accountId, last, end === -1 ? rows : rows.slice(0, end))) return;
      }
    },
  };
}
