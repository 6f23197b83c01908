import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBDocumentClient, QueryCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import {
  type LedgerRows,
  type StatementStore,
  added,
  type DailyUsage,
  type Group,
  type UsageCounts,
  type UsagePage,
  type UsageQuestion,
  dayAfter,
  type DaySpan,
  type DaySpans,
  partsPerDay,
  utcDays,
} from '#domain/billing/statements.ts';
import { readable } from '../shared/read-items.ts';
import type { ArchivedLedger } from './archive.ts';
import {
  LedgerItem,
  rowKey,
  seqOf,
  usagePrefixes,
  type DayTotal,
  dayTotals,
  partPrefixes,
  usageCounter,
} from './ledger-items.ts';

const maxTries = 15;
const betweenTriesMs = 100;

export function statementStore(
  client: DynamoDBDocumentClient,
  table: string,
  archived: ArchivedLedger,
): StatementStore {
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
    usage: usageReader(client, table),
  };
}

/** The newest row of an account is never archived. */
function isWhole(items: readonly unknown[], limit: number, before: number): boolean {
  const seqs = items.map(seqOf);
  const [first = 0, last = 0] = [seqs[0], seqs.at(-1)];
  const isNewest = before === Number.MAX_SAFE_INTEGER || first === before - 1;
  const hasNoGap = first - last === Math.max(0, items.length - 1);
  return isNewest && hasNoGap && (items.length === limit || last <= 1);
}

const maxUsageTries = 15;

/** Usage rows per page, at 150 to 300 bytes each in a response. A day is never split between pages. */
const rowsPerPage = 4000;

/**
 * Reads of up to 1 MB per page, of rows of up to 2.5 KB. Parsing the parts of 1 MB takes about 150 ms. A page with more
 * reads has one day.
 */
const readsPerPage = { withParts: 1, withoutParts: 4 } as const;

/** Attributes without the counts of parts, which UTC days do not need. */
const dayNames = [
  'sk',
  'date',
  'service',
  'model',
  'keyId',
  'calls',
  'cost',
  'inputTokens',
  'cachedTokens',
  'outputTokens',
];
const withoutParts = {
  ProjectionExpression: dayNames.map((name) => `#${name}`).join(', '),
  ExpressionAttributeNames: Object.fromEntries(dayNames.map((name) => [`#${name}`, name])),
};

/** Keeps the counts of parts, which have other names. */
const Day = v.looseObject({
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
  const sums = Object.entries(total?.added ?? {}).map(([name, count]) => [name, count + Number(day[name] ?? 0)]);
  return { ...day, ...Object.fromEntries(sums) };
};

type Count = keyof UsageCounts;

/** The count and part of an attribute such as `c31`. */
const partCounts: ReadonlyMap<string, readonly [count: Count, part: number]> = new Map(
  partPrefixes.flatMap(([count, prefix]) =>
    Array.from({ length: partsPerDay }, (_, part) => [`${prefix}${part}`, [count, part]] as const),
  ),
);

interface UsagePart {
  readonly prefix: string;
  readonly from: string;
  readonly to: string;
}

/** Usage of the days from `first` on by day of a time zone. */
class UsageDays {
  readonly rows: DailyUsage[] = [];
  /** The last day with calls that were counted by UTC day. */
  utcThrough: string | undefined;
  readonly #open = new Map<string, Map<string, DailyUsage>>();
  readonly #spans: DaySpans;
  readonly #isListed: (date: string) => boolean;
  #utcDay = '';
  #days: readonly DaySpan[] = [];

  constructor(spans: DaySpans, isListed: (date: string) => boolean) {
    this.#spans = spans;
    this.#isListed = isListed;
  }

  /** Adds a row, unless the page is full. Rows must be sorted by UTC day. */
  add(day: Day): boolean {
    if (day.date !== this.#utcDay) {
      this.#days = this.#spans(day.date);
      this.#utcDay = day.date;
      this.close(this.#days[0]?.date);
      if (this.rows.length >= rowsPerPage) return false;
    }
    const { service, model, keyId } = day;
    const names = { service, model, keyId };
    for (const [date, counts] of this.#shares(day)) {
      if (!this.#isListed(date)) continue;
      const rows = this.#open.get(date) ?? new Map<string, DailyUsage>();
      this.#open.set(date, rows);
      const name = JSON.stringify(names);
      const row = rows.get(name);
      rows.set(name, row ? added(row, counts) : { date, ...names, ...counts });
    }
    return true;
  }

  /** Lists the days before `before`, which no further row can belong to. */
  close(before = '~'): void {
    const closed = [...this.#open.keys()].filter((date) => date < before).toSorted();
    for (const date of closed) {
      this.rows.push(...(this.#open.get(date)?.values() ?? []));
      this.#open.delete(date);
    }
  }

  /**
   * The counts of a row by day. Calls without a part were counted before parts were stored, and belong to the UTC day.
   */
  #shares(day: Day): [date: string, counts: UsageCounts][] {
    const { calls, cost, inputTokens, cachedTokens, outputTokens } = day;
    const rest = { calls, cost, inputTokens, cachedTokens, outputTokens };
    if (this.#spans === utcDays) return [[day.date, rest]];
    const shares = this.#days.map(({ date }): [string, Record<Count, number>] => [date, { ...noCounts }]);
    for (const name in day) {
      const counted = partCounts.get(name);
      const value = day[name];
      if (!counted || typeof value !== 'number') continue;
      const [count, part] = counted;
      const share = shares[this.#days.findIndex(({ end }) => part < end)];
      if (share) share[1][count] += value;
      rest[count] -= value;
    }
    const found = shares.filter(([, { calls }]) => calls > 0);
    if (rest.calls <= 0) return found;
    if (this.#isListed(day.date)) this.utcThrough = day.date;
    return [...found, [day.date, rest]];
  }
}

const noCounts: UsageCounts = { calls: 0, cost: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 };

function usageReader(client: DynamoDBDocumentClient, TableName: string) {
  const counter = usageCounter(client, TableName);
  const between = (accountId: number, from: string, to: string) => ({
    TableName,
    KeyConditionExpression: 'a = :account AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':account': accountId, ':from': from, ':to': to },
    ConsistentRead: true,
  });

  /** `waiting`: totals that are not in the table yet, sorted by key. */
  async function usagePage(
    accountId: number,
    { from, to, group, after = '', spans }: UsageQuestion,
    waiting: Promise<readonly DayTotal[]>,
  ): Promise<UsagePage> {
    const first = after > from ? dayAfter(after.slice(0, from.length)) : from;
    const days = new UsageDays(spans, (date) => date >= first && date <= to);
    const isUtc = spans === utcDays;
    // A day of a time zone overlaps the UTC days next to it.
    const margin = isUtc ? 0 : 1;
    const [utcFrom, utcTo] = [dayAfter(first, -margin), dayAfter(to, margin)];
    const parts = group
      ? await groupParts(accountId, group, utcFrom, utcTo)
      : [{ prefix: usagePrefixes.detail, from: utcFrom, to: utcTo }];
    let reads = 0;
    const maxReads = readsPerPage[isUtc ? 'withoutParts' : 'withParts'];
    const mayRead = () => ++reads < maxReads || days.rows.length === 0;
    const page = (next?: string): UsagePage => ({ rows: days.rows, next, utcThrough: days.utcThrough });
    for (const part of parts) {
      for await (const day of usageRows(accountId, { ...part, ...(isUtc && withoutParts) }, await waiting, mayRead)) {
        if (day === 'more' || !days.add(day)) return page(`${days.rows.at(-1)?.date}~`);
      }
    }
    days.close();
    return page();
  }

  /** Ends with `more` if `mayRead`, called after each read, refuses the next one. */
  async function* usageRows(
    accountId: number,
    { prefix, from, to, ...projection }: UsagePart & Partial<typeof withoutParts>,
    waiting: readonly DayTotal[],
    mayRead: () => boolean,
  ): AsyncGenerator<Day | 'more'> {
    const [first, last] = [prefix + from, `${prefix}${to}~`];
    if (first > last) return;
    const left = waiting.filter(({ sk }) => sk >= first && sk <= last);
    const query = { ...between(accountId, first, last), ...projection, Limit: rowsPerPage + 1 };
    for await (const { Items = [], LastEvaluatedKey } of paginateQuery({ client }, query)) {
      for (const day of readable(Day, Items)) {
        for (; left[0] && left[0].sk < day.sk; left.shift()) yield dayOf(left[0]);
        yield left[0]?.sk === day.sk ? withTotal(day, left.shift()) : day;
      }
      if (!mayRead() && LastEvaluatedKey) {
        yield 'more';
        return;
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
    const prefix = group === 'key' || group === 'member' ? usagePrefixes.key : usagePrefixes.kind;
    const later = { prefix, from: `${since}~` > from ? `${since}~` : from, to };
    return [earlier, later];
  }

  /** Repeats the read if rows were counted meanwhile, which are then in the totals or missing. */
  return async (accountId: number, question: UsageQuestion): Promise<UsagePage & { readonly newest: number }> => {
    for (let tries = 1; ; tries++) {
      const through = await counter.through(accountId);
      const after = counter.rowsAfter(accountId, through);
      const waiting = after.then(({ rows }) => dayTotals(rows));
      const [{ rows, newest }, page] = await Promise.all([after, usagePage(accountId, question, waiting)]);
      if (rows.length === 0 || tries === maxUsageTries || (await counter.through(accountId)) === through)
        return { ...page, newest };
    }
  };
}
