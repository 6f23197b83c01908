import type { InferOutput } from 'valibot';
import type { refundReasons, UsageQuery as UsageQuerySchema } from '#contract/billing/credits.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { dayMs, isoOfSeconds, dayOf, minuteMs } from '#contract/shared/time.ts';
import type { SubscriptionChange } from '../meter/meter.ts';
import { priceView } from '../meter/pricing.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { LedgerRow } from './ledger.ts';

/** `cost` in microcredits. Cached tokens are input too. */
export interface UsageCounts {
  readonly calls: number;
  readonly cost: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

/** Calls of one day, by service, model and key or a subset of them. */
export interface DailyUsage extends UsageCounts {
  readonly date: string;
  readonly service?: string | undefined;
  readonly model?: string | undefined;
  readonly keyId?: string | null | undefined;
  readonly memberId?: number | null | undefined;
}

export interface LedgerRows {
  readonly rows: LedgerRow[];
  readonly newest: number;
  readonly next: number | null;
}

export interface StatementStore {
  /** Returns the newest `limit` rows before `before` (a `seq`) with one read. */
  page(accountId: number, limit: number, before: number): Promise<LedgerRows>;
  /** Like `page`, but waits up to 1.5 s for the row `before - 1`. */
  pageWhenWritten(accountId: number, limit: number, before: number): Promise<LedgerRows>;
  /** Returns rows, oldest day first, and the `seq` of the newest row that they include. Days are never split. */
  usage(accountId: number, question: UsageQuestion): Promise<UsagePage & { readonly newest: number }>;
}

export interface UsagePage {
  readonly rows: readonly DailyUsage[];
  readonly next: string | undefined;
  /** The last day with calls that were counted by UTC day, before the time of day was stored. */
  readonly utcThrough?: string | undefined;
}

export interface UsageQuestion {
  readonly from: string;
  readonly to: string;
  readonly group: Group | undefined;
  readonly after: string | undefined;
  /** The time zone of the days. */
  readonly spans: DaySpans;
}

export type Group = 'service' | 'model' | 'key' | 'member';

/** Returns the people who created the keys. Unknown keys are missing. */
export type KeyCreators = (accountId: number, keyIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;

type UsageQuery = InferOutput<typeof UsageQuerySchema>;

const maxDays = 366;

export function statementService(store: StatementStore, creatorsOf: KeyCreators, clock: Clock) {
  /** Omits rows newer than `seq`, which is read concurrently, so that the newest balance equals the meter's. */
  async function page(
    accountId: number,
    seq: Promise<number>,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ) {
    const before = Math.min(Number.MAX_SAFE_INTEGER, Number(cursor ?? Number.POSITIVE_INFINITY));
    const [newest, read] = await Promise.all([seq, store.page(accountId, limit, before)]);
    const shown = read.rows.filter((row) => row.seq <= newest && hasMoved(row));
    return {
      entries: shown.map(entryView),
      nextCursor: read.next === null ? null : String(read.next),
      ...(read.newest < Math.min(newest, before - 1) && { isBehind: true }),
    };
  }

  /** `currentSeq` reads the `seq` of the meter's newest row. */
  async function usage(accountId: number, currentSeq: () => Promise<number>, query: UsageQuery) {
    const timezone = query.timezone ?? 'UTC';
    const { dayAt, spans } = daysOfZone(timezone);
    const today = dayAt(clock.now());
    const to = query.to ?? today;
    const from = query.from ?? dayAfter(to, -29);
    const days = (Date.parse(to) - Date.parse(from)) / dayMs;
    if (!(days >= 0)) throw new ServiceError('INVALID_FORMAT', 'from must not be after to.');
    if (days >= maxDays) throw new ServiceError('INVALID_FORMAT', `from and to may be at most ${maxDays} days apart.`);
    const after = query.cursor === undefined ? undefined : positionAt(query.cursor);
    const question = { from, to, group: query.group, after, spans };
    const [current, page] = await Promise.all([currentSeq(), store.usage(accountId, question)]);
    const { next, utcThrough, newest } = page;
    const rows = query.group === 'member' ? await withMembers(accountId, page.rows) : page.rows;
    return {
      from,
      to,
      timezone,
      days: grouped(rows, query.group),
      ...(next !== undefined && { nextCursor: cursorAt(next) }),
      ...(utcThrough !== undefined && { utcThrough }),
      ...(newest < current && from <= today && to >= today && { isBehind: true }),
    };
  }

  async function withMembers(accountId: number, rows: readonly DailyUsage[]): Promise<DailyUsage[]> {
    const creators = await creatorsOf(accountId, [...new Set(rows.flatMap(({ keyId }) => keyId ?? []))]);
    return rows.map((row) => ({ ...row, memberId: creators.get(row.keyId ?? '') ?? null }));
  }

  return { page, usage };
}

/** Refunds of 0 exist only for the event of the ended job and for continuous row numbers. */
const hasMoved = ({ type, amount }: LedgerRow): boolean => type !== 'refund' || amount !== 0;

function entryView(row: LedgerRow) {
  const reason = refundReason(row);
  return {
    seq: row.seq,
    at: isoOfSeconds(row.at),
    type: row.type,
    service: row.service ?? null,
    model: row.model ?? null,
    source: row.source ?? null,
    credits: row.amount / microPerCredit,
    balance: row.balance / microPerCredit,
    requestId: row.requestId ?? null,
    keyId: row.keyId ?? null,
    ...(row.price !== undefined && row.service && { price: priceView(row.price, row.service) }),
    ...(row.tokens && { tokens: row.tokens }),
    ...(row.change && { change: changeView(row.change) }),
    ...(row.payment !== undefined && { paymentId: row.payment }),
    ...(reason && { reason }),
  };
}

const changeView = ({ kind, plan, effectiveAt }: SubscriptionChange) => ({
  kind,
  plan,
  ...(effectiveAt !== undefined && { effectiveAt: isoOfSeconds(effectiveAt) }),
});

/** Messages are refunded on failure. A refund without a job belongs to a transcription that its owner deleted. */
function refundReason({ type, service, job }: LedgerRow): (typeof refundReasons)[number] | undefined {
  if (type !== 'refund') return undefined;
  if (service !== 'transcription') return 'failed';
  if (!job) return 'deleted';
  if (job.status === 'completed') return 'unused';
  return job.status === 'expired' ? 'expired' : 'failed';
}

const cursorAt = (place: string): string => Buffer.from(place).toString('base64url');

function positionAt(cursor: string): string {
  const place = Buffer.from(cursor, 'base64url').toString();
  if (/^\d{4}-\d\d-\d\d~$/.test(place) && cursorAt(place) === cursor) return place;
  throw new ServiceError('INVALID_FORMAT', 'cursor must be the nextCursor of the previous page.');
}

/** Sums over all properties except the group's. Returns the rows unchanged without a group. */
function grouped(usage: readonly DailyUsage[], group: Group | undefined) {
  const sums = new Map<string, DailyUsage>();
  for (const { date, service, model, keyId, memberId, ...counts } of usage) {
    const of = { service: { service }, model: { model }, key: { keyId }, member: { memberId } };
    const named = group ? of[group] : { service, model, keyId };
    const name = JSON.stringify([date, named]);
    const sum = sums.get(name);
    sums.set(name, sum ? added(sum, counts) : { date, ...named, ...counts });
  }
  return [...sums.values()].map(dayView);
}

/** Adds counts to a row. */
export const added = (sum: DailyUsage, counts: UsageCounts): DailyUsage => ({
  ...sum,
  calls: sum.calls + counts.calls,
  cost: sum.cost + counts.cost,
  inputTokens: sum.inputTokens + counts.inputTokens,
  cachedTokens: sum.cachedTokens + counts.cachedTokens,
  outputTokens: sum.outputTokens + counts.outputTokens,
});

/** Without tokens if no call reported any, because a year's response is limited to 1 MB. */
function dayView({ cost, inputTokens, cachedTokens, outputTokens, ...day }: DailyUsage) {
  const tokens = { input: inputTokens, cached: cachedTokens, output: outputTokens };
  return {
    ...day,
    credits: cost / microPerCredit,
    ...(inputTokens + outputTokens > 0 && { tokens }),
  };
}

/** Parts of a UTC day: of each hour the minutes from 0, 15 and 30. Each midnight of a time zone starts one (ADR 42). */
export const partsPerDay = 72;

const firstMinutes = [0, 15, 30] as const;

/** The part of its UTC day that contains a time in epoch seconds. */
export function partOf(at: number): number {
  const minutes = Math.floor(at / 60) % 1440;
  const part = firstMinutes.findLastIndex((first) => first <= minutes % 60);
  return Math.floor(minutes / 60) * firstMinutes.length + part;
}

const minuteOf = (part: number): number =>
  Math.floor(part / firstMinutes.length) * 60 + (firstMinutes[part % firstMinutes.length] ?? 0);

/** The parts of a UTC day, before `end` and from the previous end, that belong to a day of a time zone. */
export interface DaySpan {
  readonly date: string;
  readonly end: number;
}

/** The days of a time zone that a UTC day overlaps, in order: usually two. */
export type DaySpans = (utcDay: string) => readonly DaySpan[];

export const utcDays: DaySpans = (date) => [{ date, end: partsPerDay }];

/** Days of a time zone (IANA). Throws a RangeError for an unknown one. */
export function daysOfZone(zone: string): { readonly dayAt: (ms: number) => string; readonly spans: DaySpans } {
  // Swedish dates have the form 2027-01-31.
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  if (format.resolvedOptions().timeZone === 'UTC') return { dayAt: dayOf, spans: utcDays };

  const dayAt = (ms: number): string => format.format(ms);

  let previous: readonly DaySpan[] = [];

  /**
   * Dates never decrease within a day, so the end of a span is found by bisection. Starts at the end of the day before.
   */
  function spans(utcDay: string): readonly DaySpan[] {
    const start = Date.parse(utcDay);
    const dayOfPart = (part: number) => dayAt(start + minuteOf(part) * minuteMs);
    const found: DaySpan[] = [];
    for (let first = 0; first < partsPerDay; first = found.at(-1)?.end ?? partsPerDay) {
      const date = dayOfPart(first);
      const likely = previous[found.length]?.end ?? 0;
      let [inside, end] = [first, partsPerDay];
      for (const tried of [likely - 1, likely]) {
        if (tried <= inside || tried >= end) continue;
        if (dayOfPart(tried) === date) inside = tried;
        else end = tried;
      }
      while (end - inside > 1) {
        const tried = Math.floor((inside + end) / 2);
        if (dayOfPart(tried) === date) inside = tried;
        else end = tried;
      }
      found.push({ date, end });
    }
    previous = found;
    return found;
  }

  return { dayAt, spans };
}

/** The day that is `days` after a day. */
export const dayAfter = (day: string, days = 1): string => dayOf(Date.parse(day) + days * dayMs);
