import { join } from 'node:path';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { meterShards, tables } from '#contract/platform/resources.ts';
import { type Database, startDatabase } from '#local/dynamodb/database.ts';
import { testFolder } from '#test/folder.ts';

let database: Database;
beforeEach(async () => {
  const specs = Object.values(tables);
  database = await startDatabase({ file: join(await testFolder(), 'db'), external: undefined, tables: specs });
});
afterEach(() => database.close());

async function put(id: number, times: Readonly<Record<string, number>>): Promise<void> {
  const numbers = Object.entries({ a: id, p: id % meterShards, ...times });
  const Item = Object.fromEntries(numbers.map(([name, value]) => [name, { N: String(value) }]));
  await database.client.send(new PutItemCommand({ TableName: tables.meters.name, Item }));
}

it('an index has a due entry if the first one of any partition is due, whatever the number of digits', async () => {
  const hasDue = (index: 'due' | 'holds', seconds: number) =>
    database.file!.hasDue(tables.meters.name, index, tables.meters.indexes[index].sortKey.name, seconds);
  expect(hasDue('due', 4_000_000_000)).toBe(false);
  for (let id = 1; id <= 2 * meterShards; id++) await put(id, { due: 2_000_000_000 + id });
  expect([hasDue('due', 2_000_000_000), hasDue('due', 2_000_000_001)]).toEqual([false, true]);
  await put(7, { due: 999_999_999, hd: 5 });
  expect([hasDue('due', 999_999_998), hasDue('due', 999_999_999)]).toEqual([false, true]);
  expect([hasDue('holds', 4), hasDue('holds', 5)]).toEqual([false, true]);
  await put(7, { due: 2_000_000_000 });
  expect([hasDue('due', 1_999_999_999), hasDue('holds', 2_000_000_000)]).toEqual([false, false]);
});

it('reads of a stream at different positions share the parsed records', async () => {
  for (const id of [1, 2, 3]) await put(id, { due: 5 });
  const read = (after: number, limit: number) => database.file!.streamRecords(tables.meters.name, after, limit);
  const [first, second] = read(0, 2);
  expect(read(Number(first!.sequenceNumber), 2)[0]).toBe(second);
  expect(second!.newImage).toMatchObject({ a: { N: '2' }, due: { N: '5' } });
});
