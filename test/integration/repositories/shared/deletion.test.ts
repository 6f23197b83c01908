import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { deleteKeys, deletePartition } from '#repositories/shared/deletion.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { times } from '#test/many.ts';

const table = tables.agents.name;

const database = useTestDatabase();

/** A client of a throttled table, which processes only the first deletions of each batch. */
function throttledClient(processed: number) {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: database.url }));
  const sizes: number[] = [];
  client.middlewareStack.add(
    (next) => async (args) => {
      const { RequestItems } = args.input as { RequestItems?: Record<string, unknown[]> };
      const all = RequestItems?.[table];
      if (!all) return next(args);
      sizes.push(all.length);
      const [now, later] = [all.slice(0, processed), all.slice(processed)];
      const result =
        now.length > 0
          ? await next({ ...args, input: { ...args.input, RequestItems: { [table]: now } } })
          : { output: {}, response: {} };
      Object.assign(result.output, { UnprocessedItems: later.length > 0 ? { [table]: later } : {} });
      return result as Awaited<ReturnType<typeof next>>;
    },
    { step: 'initialize', priority: 'high' },
  );
  return { client, sizes };
}

const rows = (count: number) => times(count, (index) => ({ pk: 'partition', sk: String(index).padStart(4, '0') }));
const put = (count: number) =>
  Promise.all(rows(count).map((Item) => database.client.send(new PutCommand({ TableName: table, Item }))));
const left = async () => (await database.client.send(new ScanCommand({ TableName: table }))).Count;

/** Pauses without delay. */
function recordedPauses() {
  const pauses: number[] = [];
  return { pauses, pause: async (ms: number) => void pauses.push(ms) };
}

describe('deleting items', () => {
  it('retries unprocessed deletions with growing pauses', async () => {
    await put(25);
    const { client, sizes } = throttledClient(10);
    const { pause, pauses } = recordedPauses();
    await deleteKeys(client, table, rows(25), pause);
    expect([await left(), sizes, pauses]).toEqual([0, [25, 15, 5], [25, 50]]);
  });

  it('fails after ten attempts, which take about 10 s, if DynamoDB processes nothing', async () => {
    const { client, sizes } = throttledClient(0);
    const { pause, pauses } = recordedPauses();
    await expect(deleteKeys(client, table, rows(2), pause)).rejects.toThrow('unprocessed 10 times');
    expect(sizes).toHaveLength(10);
    expect(pauses).toEqual([25, 50, 100, 200, 400, 800, 1600, 3200, 3200]);
  });

  it('empties only the given partition, in batches of 25', async () => {
    await put(130);
    await database.client.send(new PutCommand({ TableName: table, Item: { pk: 'other', sk: '1' } }));
    const { client, sizes } = throttledClient(25);
    await deletePartition(client, table, 'partition');
    expect(await left()).toBe(1);
    expect(sizes.toSorted((a, b) => b - a)).toEqual([25, 25, 25, 25, 25, 5]);
  });

  it('stops when it is aborted, and a later run deletes the rest', async () => {
    await put(130);
    await expect(deletePartition(database.client, table, 'partition', AbortSignal.abort())).rejects.toThrow('aborted');
    expect(await left()).toBe(131);
    await deletePartition(database.client, table, 'partition');
    expect(await left()).toBe(1);
  });
});
