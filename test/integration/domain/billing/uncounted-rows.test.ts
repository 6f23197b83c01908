import { BatchExecuteStatementCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { ledgerRows, type MeterImage, projectInOrder, projectLedger } from '#domain/billing/ledger.ts';
import { utcDays } from '#domain/billing/statements.ts';
import { archivedLedger } from '#repositories/billing/archive.ts';
import { usageCounter } from '#repositories/billing/ledger-items.ts';
import { ledgerStore } from '#repositories/billing/ledger.ts';
import { statementStore } from '#repositories/billing/statements.ts';
import { inserter } from '#repositories/shared/insert.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { faultyClient, randomFaults } from '#test/database/faulty-client.ts';
import { atLength, patience, seed, times } from '#test/many.ts';
import { noFiles } from '#test/meter/ledger-account.ts';

const database = useTestDatabase();
const table = tables.ledger.name;
const ledger = { ledger: table, accounts: tables.accounts.name };
const storeOf = (client: DynamoDBDocumentClient) => ledgerStore(client, ledger, 'http://127.0.0.1');
const counterOf = (client: DynamoDBDocumentClient) => usageCounter(client, table);

const day = 86_400;
/** 2027-03-01, epoch seconds. */
const march = Date.UTC(2027, 2) / 1000;
const now = (march + day) * 1000;

let ids = 60_000_000;

/** A call of one microcredit at each time. */
const callsAt = (accountId: number, ats: readonly number[]): MeterImage[] =>
  ats.map((at, call) => ({
    accountId,
    seq: call + 1,
    balance: -call - 1,
    used: {},
    period: march,
    entries: [{ type: 'charge', at, amount: -1, service: 'chat', model: `svc-${call % 3}`, keyId: `key-${call % 5}` }],
  }));

const steadily = (accountId: number, calls: number): MeterImage[] =>
  callsAt(
    accountId,
    times(calls, () => march),
  );

/** Calls and cost of an account's days, as its owner reads them. */
async function totalsOf(accountId: number): Promise<{ calls: number; cost: number }[]> {
  const reads = statementStore(database.client, table, archivedLedger(database.client, table, noFiles));
  const range = { from: '2026-01-01', to: '2028-01-01', after: undefined, spans: utcDays };
  return Promise.all(
    ([undefined, 'service', 'key'] as const).map(async (group) => {
      const { rows } = await reads.usage(accountId, { ...range, group });
      return {
        calls: rows.reduce((sum, { calls }) => sum + calls, 0),
        cost: rows.reduce((sum, { cost }) => sum + cost, 0),
      };
    }),
  );
}

const allOf = (calls: number) => times(3, () => ({ calls, cost: calls }));

describe('rows that are counted later', () => {
  it('are all counted if the times of a month’s last calls are not in the order of their writes', async () => {
    const accountId = (ids += 1);
    await projectInOrder(
      storeOf(database.client),
      callsAt(accountId, [march - 2, march + 1, march - 1, march + 2]),
      now,
    );
    const counter = counterOf(database.client);
    await counter.count(accountId, march);
    expect(await totalsOf(accountId)).toEqual(allOf(4));
    await counter.count(accountId);
    expect(await totalsOf(accountId)).toEqual(allOf(4));
  });

  it('are counted before their month is archived even if another count was first and failed on its way', async () => {
    const accountId = (ids += 1);
    const calls = callsAt(
      accountId,
      times(50, (call) => march - (call + 1) * day),
    );
    await projectInOrder(storeOf(database.client), calls, now);
    let transactions = 0;
    const crashing = faultyClient(database.url);
    crashing.client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          if (commandName === 'TransactWriteItemsCommand' && (transactions += 1) > 1) throw new Error('crash');
          return next(args);
        },
      { step: 'initialize' },
    );
    const late = faultyClient(database.url);
    late.client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          if (commandName === 'TransactWriteItemsCommand' && transactions === 0)
            await counterOf(crashing.client)
              .count(accountId)
              .catch(() => undefined);
          return next(args);
        },
      { step: 'initialize' },
    );
    await counterOf(late.client).count(accountId, march);
    const counter = counterOf(database.client);
    expect((await counter.rowsAfter(accountId, await counter.through(accountId))).rows).toEqual([]);
    expect(await totalsOf(accountId)).toEqual(allOf(50));
  });

  it('are counted after any number of later rows without their mark, such as those of an earlier version', async () => {
    const accountId = (ids += 1);
    const calls = steadily(accountId, 900);
    const store = storeOf(database.client);
    await projectInOrder(store, calls.slice(0, 20), now);
    const unmarked = calls.slice(20, 860).flatMap(ledgerRows);
    await store.insert(unmarked.map((row) => ({ ...row, amount: 0 })));
    await projectInOrder(store, calls.slice(860), now);
    expect(await totalsOf(accountId)).toEqual(allOf(60));
  });

  it(
    'add up to the rows and to the balance, whatever requests fail or lose their replies',
    async () => {
      const step = fc.record({
        size: fc.integer({ min: 1, max: 60 }),
        percent: fc.constantFrom(0, 10, 40),
        retried: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 3, maxLength: 10 }),
          fc.nat(),
          fc.infiniteStream(fc.integer({ min: -3, max: 3 })),
          async (steps, faults, skew) => {
            const accountId = (ids += 1);
            const all = steps.reduce((sum, { size }) => sum + size, 0);
            const days = times(all, (call) => march + (call - all / 2) * 3600 + (skew.next().value ?? 0) * 7200);
            const calls = callsAt(accountId, days);
            let done = 0;
            for (const { size, percent, retried } of steps) {
              const batch = calls.slice(done, done + size);
              const { client } = faultyClient(database.url, randomFaults(percent, faults + done));
              const project = async () => {
                if (!retried) await projectInOrder(storeOf(client), batch, now);
                else for (const image of batch) await projectLedger(storeOf(client), image, now);
              };
              await project().catch(() => undefined);
              await counterOf(client)
                .count(accountId, march)
                .catch(() => undefined);
              await projectInOrder(storeOf(database.client), batch, now);
              done += size;
            }
            expect(await totalsOf(accountId)).toEqual(allOf(-(calls.at(-1)?.balance ?? 0)));
            await storeOf(database.client).count(accountId);
            expect(await totalsOf(accountId)).toEqual(allOf(all));
          },
        ),
        { numRuns: atLength(6, 200), seed },
      );
    },
    patience,
  );
});

describe('the inserter', () => {
  it('keeps its caller waiting until no row can be written any more, even if another row was refused', async () => {
    const { client } = faultyClient(database.url);
    let [throttled, written] = [0, false];
    client.middlewareStack.add(
      (next) => async (args) => {
        const { Statements = [] } = args.input as BatchExecuteStatementCommand['input'];
        const isLast = Statements.length < 25;
        if (isLast) return { output: { Responses: [{ Error: { Code: 'ValidationError' } }] }, response: {} } as never;
        if ((throttled += 1) < 4)
          return {
            output: { Responses: Statements.map(() => ({ Error: { Code: 'ThrottlingError' } })) },
            response: {},
          } as never;
        const result = await next(args);
        written = true;
        return result;
      },
      { step: 'initialize' },
    );
    const rows = times(26, (index) => ({ a: (ids += 1), sk: `row#${index}`, seq: index }));
    await expect(inserter(client, table)(rows)).rejects.toThrow('ValidationError');
    expect(written).toBe(true);
  });
});
