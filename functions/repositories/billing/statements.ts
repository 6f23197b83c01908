import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBDocumentClient, paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { DailyUsage, Group, LedgerRows, StatementStore, UsageQuestion } from '#domain/billing/statements.ts';
import { readable } from '../shared/readable.ts';
import type { ArchivedLedger } from './archive.ts';
import { type DayTotal, dayTotals, usageCounter } from './daily-usage.ts';
import { LedgerItem, rowKey, seqOf, usagePrefixes } from './ledger-items.ts';

const maxTries = 15;
const betweenTriesMs = 100;

/** Usage rows per page, at 150 to 300 bytes each in a response. A day's totals are never split between pages. */
const usageRowsPerPage = 4000;

const Day = v.object({
  sk: v.string(),
  date: v.string(),
  service: v.optional(v.string()),
  model: v.optional(v.string()),
  keyId: v.optional(v.nullable(v.string())),
  calls: v.number(),
  cost: v.number(),
  inputTokens: v.optional(v.number(), 0),
  cachedTokens: v.optional(v.number(), 0),
  outputTokens: v.optional(v.number(), 0),
});

type Day = v.InferOutput<typeof Day>;

const dayOf = ({ sk, names, added }: DayTotal): Day => v.parse(Day, { sk, ...names, ...added });

const withTotal = (day: Day, total: DayTotal | undefined): Day => {
  const sums = Object.entries(total?.added ?? {}).map(([name, count]) => [
    name,
    count + Number(Reflect.get(day, name)),
  ]);
  return { ...day, ...Object.fromEntries(sums) };
};

interface UsagePart {
  readonly prefix: string;
  readonly from: string;
  readonly to: string;
}

export function statementStore(
  client: DynamoDBDocumentClient,
  table: string,
  archived: ArchivedLedger,
): StatementStore {
  const counter = usageCounter(client, table);
  const between = (accountId: number, from: string, to: string) => ({
    TableName: table,
    KeyConditionExpression: 'a = :account AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':account': accountId, ':from': from, ':to': to },
    ConsistentRead: true,
  });

  async function page(accountId: number, limit: number, before: number): Promise<LedgerRows> {
    const query = {
      ...between(accountId, rowKey(accountId, 0).sk, rowKey(accountId, Math.max(0, before - 1)).sk),
      ScanIndexForward: false,
      Limit: limit + 1,
    };
    const { Items: stored = [] } = await client.send(new QueryCommand(query));
    const items = isWhole(stored, limit + 1, before)
      ? stored
      : await withArchived(accountId, stored, limit + 1, before);
    const shown = items.slice(0, limit);
    const next = items.length > limit ? seqOf(shown.at(-1)) : null;
    return { rows: readable(LedgerItem, shown), newest: seqOf(items[0]), next };
  }

  /** Adds archived rows. Reads `through` after the page, so that rows archived in between are found. */
  async function withArchived(
    accountId: number,
    stored: readonly unknown[],
    limit: number,
    before: number,
  ): Promise<unknown[]> {
    const through = await archived.through(accountId);
    const items = stored.filter((item) => seqOf(item) > through);
    if (items.length >= limit || through === 0) return items;
    for await (const older of archived.before(accountId, Math.min(before, through + 1))) {
      items.push(...older.slice(0, limit - items.length));
      if (items.length >= limit) break;
    }
    return items;
  }

  return {
    page,
    async pageWhenWritten(accountId, limit, before) {
      for (let tries = 1; ; tries++) {
        const read = await page(accountId, limit, before);
        if (read.newest >= before - 1 || tries === maxTries) return read;
        await sleep(betweenTriesMs);
      }
    },
    /** Repeats the read if rows were counted meanwhile, which are then in the totals or missing. */
    async usage(accountId, question) {
      for (let tries = 1; ; tries++) {
        const through = await counter.through(accountId);
        const waiting = counter.rowsAfter(accountId, through).then(dayTotals);
        const [{ length }, page] = await Promise.all([waiting, usagePage(accountId, question, waiting)]);
        if (length === 0 || tries === maxTries || (await counter.through(accountId)) === through) return page;
      }
    },
  };

  /** `waiting`: totals that are not in the table yet, sorted by key. */
  async function usagePage(
    accountId: number,
    { from, to, group, after }: UsageQuestion,
    waiting: Promise<readonly DayTotal[]>,
  ): Promise<{ rows: DailyUsage[]; next: string | undefined }> {
    const parts = group ? await groupParts(accountId, group, from, to) : [{ prefix: usagePrefixes.detail, from, to }];
    const rows: DailyUsage[] = [];
    let place = '';
    for (const part of parts) {
      for await (const { sk, ...row } of usageRows(accountId, part, await waiting, after)) {
        const isSplit = group && rows.at(-1)?.date === row.date;
        if (rows.length >= usageRowsPerPage && !isSplit) return { rows, next: place };
        rows.push(row);
        place = group ? `${row.date}~` : sk.slice(part.prefix.length);
      }
    }
    return { rows, next: undefined };
  }

  async function* usageRows(
    accountId: number,
    { prefix, from, to }: UsagePart,
    waiting: readonly DayTotal[],
    after = '',
  ) {
    // `!` sorts before every character of a sort key, so the read starts after the cursor.
    const first = prefix + (after > from ? `${after}!` : from);
    const last = `${prefix}${to}~`;
    if (first > last) return;
    const left = waiting.filter(({ sk }) => sk >= first && sk <= last);
    const query = { ...between(accountId, first, last), Limit: usageRowsPerPage + 1 };
    for await (const { Items = [] } of paginateQuery({ client }, query)) {
      for (const day of readable(Day, Items)) {
        for (; left[0] && left[0].sk < day.sk; left.shift()) yield dayOf(left[0]);
        yield left[0]?.sk === day.sk ? withTotal(day, left.shift()) : day;
      }
    }
    yield* left.map(dayOf);
  }

  /** Older accounts have only detail rows up to the first day with a grouped row, which may be incomplete. */
  async function groupParts(accountId: number, group: Group, from: string, to: string): Promise<UsagePart[]> {
    const query = { ...between(accountId, usagePrefixes.kind, `${usagePrefixes.kind}~`), Limit: 1 };
    const { Items = [] } = await client.send(new QueryCommand(query));
    const [oldest] = readable(v.object({ sk: v.string() }), Items);
    const since = oldest ? oldest.sk.slice(usagePrefixes.kind.length).slice(0, from.length) : to;
    const earlier = { prefix: usagePrefixes.detail, from, to: since < to ? since : to };
    if (since >= to) return [earlier];
    const prefix = group === 'key' ? usagePrefixes.key : usagePrefixes.kind;
    const later = { prefix, from: `${since}~` > from ? `${since}~` : from, to };
    return [earlier, later];
  }
}

/** The newest row of an account is never archived. */
function isWhole(items: readonly unknown[], limit: number, before: number): boolean {
  const seqs = items.map(seqOf);
  const [first = 0, last = 0] = [seqs[0], seqs.at(-1)];
  const isNewest = before === Number.MAX_SAFE_INTEGER || first === before - 1;
  const hasNoGap = first - last === Math.max(0, items.length - 1);
  return isNewest && hasNoGap && (items.length === limit || last <= 1);
}
