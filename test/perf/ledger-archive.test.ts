import { randomUUID } from 'node:crypto';
import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rowBytes } from '#bench/cost/ledger.ts';
import { tables } from '#contract/platform/resources.ts';
import { ledgerArchiver } from '#domain/billing/archive.ts';
import { archivedLedger, archiveStore } from '#repositories/billing/archive.ts';
import { rowKey } from '#repositories/billing/ledger-items.ts';
import { statementStore } from '#repositories/billing/statements.ts';
import { startTestDatabase } from '#test/database/database.ts';
import { itemBytes } from '#test/database/item-size.ts';
import { startArchive } from '#test/meter/ledger-archive.ts';

const rows = 5000;
const accountId = 77;
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let archive: Awaited<ReturnType<typeof startArchive>>;
beforeAll(async () => {
  [database, archive] = await Promise.all([startTestDatabase(), startArchive()]);
});
afterAll(() => Promise.all([database.close(), archive.close()]));

/** A charge as written by the projector, of an account with ten keys and three models. */
const charge = (seq: number, balance: number, amount: number) => ({
  ...rowKey(accountId, seq),
  seq,
  type: 'charge',
  at: 1_798_761_600 + seq * 400,
  amount,
  balance,
  service: 'chat',
  model: ['svc-1', 'svc-instruct', 'svc-large'][seq % 3],
  keyId: `key${String(seq % 10).repeat(15)}`,
  requestId: randomUUID(),
});

it('an archived month of 5,000 rows has the assumed bytes per row, and a page of it is read within 300 ms', async () => {
  let balance = 50_000_000_000;
  const items = Array.from({ length: rows + 1 }, (_, index) => {
    const amount = -1_000 * (1 + ((index * 7919) % 4000));
    balance += amount;
    return charge(index + 1, balance, amount);
  });
  for (let from = 0; from < items.length; from += 25) {
    const puts = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    await database.client.send(new BatchWriteCommand({ RequestItems: { [tables.ledger.name]: puts } }));
  }
  const bytes = itemBytes(items[2500]!);
  const store = archiveStore(database.client, tables.ledger.name, archive.files);
  const now = Date.UTC(2027, 11, 1);
  await ledgerArchiver(store).archive(accountId, now, new AbortController().signal);
  const stored = await Promise.all(archive.keys.map(async (key) => (await (await archive.files()).read(key))!.length));
  const archived = stored.reduce((sum, one) => sum + one, 0) / rows;

  const statements = statementStore(
    database.client,
    tables.ledger.name,
    archivedLedger(database.client, tables.ledger.name, archive.files),
  );
  const times: number[] = [];
  for (let page = 0; page < 21; page++) {
    const start = performance.now();
    const { rows: read } = await statements.page(accountId, 50, 200 * (page + 1));
    times.push(performance.now() - start);
    expect(read).toHaveLength(50);
  }
  const median = times.toSorted((one, other) => one - other)[10]!;
  const { Items = [] } = await database.client.send(
    new QueryCommand({
      TableName: tables.ledger.name,
      KeyConditionExpression: 'a = :account AND begins_with(sk, :row)',
      ExpressionAttributeValues: { ':account': accountId, ':row': 'row#' },
    }),
  );
  expect(Items).toHaveLength(1);
  expect(bytes).toBeLessThanOrEqual(rowBytes.table);
  expect(bytes).toBeGreaterThan(rowBytes.table * 0.8);
  expect(archived).toBeLessThanOrEqual(rowBytes.archive);
  expect(archived).toBeGreaterThan(rowBytes.archive * 0.7);
  expect(median).toBeLessThan(300);
}, 120_000);
