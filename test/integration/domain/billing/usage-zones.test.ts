import { ScanCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { dayOf } from '#contract/shared/time.ts';
import type { LedgerRow } from '#domain/billing/ledger.ts';
import { type Group, statementService } from '#domain/billing/statements.ts';
import { archivedLedger } from '#repositories/billing/archive.ts';
import { addition, dayTotals } from '#repositories/billing/ledger-items.ts';
import { ledgerStore } from '#repositories/billing/ledger.ts';
import { statementStore } from '#repositories/billing/statements.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { itemBytes } from '#test/database/item-size.ts';
import { atLength, patience, times } from '#test/many.ts';
import { noFiles } from '#test/meter/ledger-account.ts';
import { localDay, zones } from '#test/requests/time-zones.ts';

const database = useTestDatabase();
const table = tables.ledger.name;
const store = () => ledgerStore(database.client, { ledger: table, accounts: tables.accounts.name }, 'http://127.0.0.1');
const usageOf = () => {
  const archived = archivedLedger(database.client, table, noFiles);
  return statementService(statementStore(database.client, table, archived), creatorsOf, { now: Date.now }).usage;
};

let accounts = 60_000_000;

const charge = (accountId: number, seq: number, at: number) =>
  ({ accountId, seq, balance: 0, type: 'charge', at, amount: -1, service: 'chat', model: 'svc-1' }) as const;

/** Writes totals as releases before the time of day was stored did. */
async function countByUtcDay(accountId: number, rows: readonly LedgerRow[]) {
  for (const { added, ...total } of dayTotals(rows)) {
    const whole = Object.fromEntries(Object.entries(added).filter(([name]) => !/^[a-z]\d+$/.test(name)));
    const TransactItems = [addition(table, accountId, { ...total, added: whole })];
    await database.client.send(new TransactWriteCommand({ TransactItems }));
  }
}

const groups = [undefined, 'service', 'model', 'key', 'member'] as const;

/** The creators of the keys: two people, and nobody for calls without a key. */
const creatorOf = (keyId: string): number => (keyId === 'key-1' ? 1 : 2);
const creatorsOf = async (_: number, keyIds: readonly string[]) => new Map(keyIds.map((id) => [id, creatorOf(id)]));

/** Sums rows one by one, by the day that `Intl` returns. */
function naive(rows: readonly { row: LedgerRow; date: string }[], group: Group | undefined) {
  const sums: Record<string, number[]> = {};
  for (const { date, row } of rows) {
    const { service, model, keyId = null, amount, tokens } = row;
    const member = { memberId: keyId === null ? null : creatorOf(keyId) };
    const of = { service: { service }, model: { model }, key: { keyId }, member };
    const named = group ? of[group] : { service, model, keyId };
    const { input = 0, cached = 0, output = 0 } = tokens ?? {};
    const name = JSON.stringify({ date, ...named });
    const before = sums[name] ?? [0, 0, 0, 0, 0];
    sums[name] = [1, -amount, input, cached, output].map((count, at) => before[at]! + count);
  }
  return sums;
}

const sumsOf = (days: Awaited<ReturnType<ReturnType<typeof usageOf>>>['days']) =>
  Object.fromEntries(
    days.map(({ date, calls, credits, tokens = { input: 0, cached: 0, output: 0 }, ...names }) => [
      JSON.stringify({ date, ...names }),
      [calls, Math.round(credits * 1e6), tokens.input, tokens.cached, tokens.output],
    ]),
  );

/** Ten days around a change to or from daylight saving time. */
const starts = ['2026-03-22', '2026-10-20', '2027-01-01', '2027-03-24', '2027-04-01', '2027-10-28'];
/** How a call is counted. Rows that wait are newer than counted ones. */
const ways = ['before', 'append', 'count', 'wait'];
const call = fc.record({
  second: fc.integer({ min: 0, max: 10 * 86_400 - 1 }),
  amount: fc.integer({ min: 1, max: 3_000_000 }),
  service: fc.constantFrom('chat' as const, 'completion' as const, 'translation' as const),
  model: fc.constantFrom('svc-1', 'svc-instruct'),
  keyId: fc.constantFrom('key-1', 'key-2', undefined),
  tokens: fc.option(fc.record({ input: fc.nat(9000), cached: fc.nat(50), output: fc.nat(500) }), { nil: undefined }),
  written: fc.nat(ways.length - 1),
});

describe('usage by day of a time zone', () => {
  it(
    'equals the sum of the calls by their local date, however they were written',
    async () => {
      const calls = fc.array(call, { minLength: 1, maxLength: 40 });
      const where = fc.constantFrom(
        'Asia/Kathmandu',
        'Pacific/Chatham',
        'Australia/Lord_Howe',
        'Europe/Lisbon',
        ...zones,
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...starts), calls, where, async (start, made, timezone) => {
          const accountId = (accounts += 1);
          const sorted = made.toSorted((one, other) => one.written - other.written);
          const rows = sorted.map(({ second, amount, tokens, written, keyId, ...about }, at) => {
            const row = {
              ...charge(accountId, at + 1, Date.parse(start) / 1000 + second),
              ...about,
              amount: -amount,
              ...(keyId && { keyId }),
              ...(tokens && { tokens }),
            } as const;
            const ms = row.at * 1000;
            return { row, written: ways[written], date: written === 0 ? dayOf(ms) : localDay(timezone, ms) };
          });
          const stored = (kind: string) => rows.filter(({ written }) => written === kind).map(({ row }) => row);
          await countByUtcDay(accountId, stored('before'));
          for (const row of stored('append')) await store().append(row);
          await store().insert(stored('count'));
          await store().count(accountId);
          await store().insert(stored('wait'));
          const [from, to] = [dayOf(Date.parse(start) + 86_400_000), dayOf(Date.parse(start) + 8 * 86_400_000)];
          const expected = rows.filter(({ date }) => date >= from && date <= to);
          for (const group of groups) {
            const page = await usageOf()(accountId, async () => 0, { from, to, timezone, group });
            expect(sumsOf(page.days)).toEqual(naive(expected, group));
            const before = expected.filter(({ written }) => written === 'before').map(({ date }) => date);
            const isUtc = new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone === 'UTC';
            expect(page.utcThrough).toBe(isUtc ? undefined : before.toSorted().at(-1));
          }
        }),
        { numRuns: atLength(25, 500) },
      );
    },
    patience,
  );
});

describe('the totals of a day', () => {
  it.each([
    ['priced by call', undefined, 1],
    ['priced by token', { input: 12_345, cached: 1234, output: 567 }, 3],
  ])('with calls in every minute, %s, fit into few write units', async (_, tokens, units) => {
    const accountId = (accounts += 1);
    const key = 'k'.repeat(43);
    const calls = times(1440, (minute) => ({
      ...charge(accountId, minute + 1, Date.UTC(2027, 0, 1) / 1000 + 60 * minute),
      amount: tokens ? -1_234_567 : -1_000_000,
      model: 'svc-1-instruct',
      keyId: key,
      ...(tokens && { tokens }),
    }));
    for (let at = 0; at < calls.length; at += 120) {
      await store().insert(calls.slice(at, at + 120));
      await store().count(accountId);
    }
    const { Items = [] } = await database.client.send(new ScanCommand({ TableName: table }));
    const totals = Items.filter(({ a, date }) => a === accountId && date !== undefined);
    expect(totals).toHaveLength(3);
    for (const total of totals) expect(Math.ceil(itemBytes(total) / 1024)).toBeLessThanOrEqual(units);
  });

  it('are written in several parts if an expression would be too long', async () => {
    const accountId = (accounts += 1);
    const tokens = { input: 5, cached: 3, output: 2 };
    const calls = times(72 * 2, (half) => ({
      ...charge(accountId, half + 1, Date.UTC(2027, 0, 1) / 1000 + 600 * half),
      tokens,
    }));
    await store().insert(calls);
    await store().count(accountId);
    const { days } = await usageOf()(accountId, async () => 0, { from: '2027-01-01', to: '2027-01-01' });
    expect(days).toMatchObject([{ calls: 144, tokens: { input: 720, cached: 432, output: 288 } }]);
  });
});
