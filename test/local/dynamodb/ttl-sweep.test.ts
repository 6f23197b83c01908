import { join } from 'node:path';
import { type AttributeValue, BatchWriteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TableSpec, tables } from '#contract/platform/resources.ts';
import { type Database, startDatabase } from '#local/dynamodb/database.ts';
import { createTtlSweep } from '#local/dynamodb/upkeep.ts';
import { testFolder } from '#test/folder.ts';

const specs: readonly TableSpec[] = Object.values(tables);
const now = Date.UTC(2030, 0, 1);
const seconds = now / 1000;

let database: Database;
beforeEach(async () => {
  database = await startDatabase({ file: join(await testFolder(), 'db'), external: undefined, tables: specs });
});
afterEach(() => database.close());

/** Puts items into the table of idempotency keys, with the expiry that each index gets. */
async function fill(count: number, ttl: (index: number) => number | undefined): Promise<void> {
  const puts = Array.from({ length: count }, (_, index) => {
    const expiry = ttl(index);
    const Item: Record<string, AttributeValue> = {
      id: { S: `key-${index}` },
      ...(expiry && { ttl: { N: String(expiry) } }),
    };
    return { PutRequest: { Item } };
  });
  for (let from = 0; from < count; from += 25) {
    const RequestItems = { [tables.idempotency.name]: puts.slice(from, from + 25) };
    await database.client.send(new BatchWriteItemCommand({ RequestItems }));
  }
}

async function left(): Promise<string[]> {
  const { Items = [] } = await database.client.send(new ScanCommand({ TableName: tables.idempotency.name }));
  return Items.map(({ id }) => id!.S!);
}

/** Names of the operations that `work` sends to the database. */
async function operationsOf(work: () => Promise<void>): Promise<string[]> {
  const sent: string[] = [];
  database.client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        sent.push(commandName);
        return next(args);
      },
    { step: 'initialize', name: 'note' },
  );
  await work();
  database.client.middlewareStack.remove('note');
  return sent;
}

describe('the sweep of expired items', () => {
  it('reads and deletes only items whose expiry has passed by the given clock', async () => {
    const expiries = [seconds - 1, seconds, seconds + 1, undefined];
    await fill(200, (index) => expiries[index % 4]);
    const sent = await operationsOf(() => createTtlSweep(database, specs)(now));
    expect(sent).toEqual(Array.from({ length: 50 }, () => 'DeleteItemCommand'));
    expect((await left()).filter((name) => Number(name.slice(4)) % 4 === 0)).toEqual([]);
    expect(await left()).toHaveLength(150);
  });

  it('ends after 2 s, and continues in the next run with the items that expired first', async () => {
    await fill(200, (index) => seconds - 5000 + index);
    const sweep = createTtlSweep(database, specs);
    const { client } = database;
    client.middlewareStack.add(
      (next) => async (args) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return next(args);
      },
      { step: 'initialize', name: 'slow' },
    );
    const began = performance.now();
    await sweep(now);
    expect(performance.now() - began).toBeLessThan(6000);
    client.middlewareStack.remove('slow');
    const rest = await left();
    expect(rest.length).toBeGreaterThan(0);
    expect(rest.length).toBeLessThan(200);
    expect(rest).not.toContain('key-0');
    await sweep(now);
    expect(await left()).toEqual([]);
  });

  it('scans an external database in slices, each run from where the last one ended', async () => {
    await fill(600, (index) => (index % 2 === 0 ? seconds - 1 : seconds + 1));
    const sweep = createTtlSweep({ client: database.client, file: undefined }, [tables.idempotency]);
    await sweep(now);
    expect((await left()).length).toBeGreaterThan(300);
    await sweep(now);
    await sweep(now);
    expect(await left()).toHaveLength(300);
  });
});
