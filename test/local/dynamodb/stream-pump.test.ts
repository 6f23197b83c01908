import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventPatterns } from '#contract/platform/resources.ts';
import { createTables, type Database, startDatabase } from '#local/dynamodb/database.ts';
import { startStreamPump } from '#local/dynamodb/stream-pump.ts';
import type { Pump } from '#local/shared/pump.ts';
import { numberOf, recorder } from '#test/database/stream-recorder.ts';
import { testFolder } from '#test/folder.ts';

let database: Database;
let client: DynamoDBStreamsClient;
let folder: string;
let table = 0;
let pumps: Pump[];
let log: string[];

const name = () => `table-${table}`;
const put = (n: number, about: object = {}) =>
  database.client.send(
    new PutItemCommand({
      TableName: name(),
      Item: { pk: { S: `p${n % 7}` }, n: { N: String(n) }, job: { BOOL: true }, ...about },
    }),
  );
const putAll = async (count: number, from = 0) => {
  for (let n = from; n < from + count; n += 1) await put(n);
};
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

beforeAll(async () => {
  folder = await testFolder();
  database = await startDatabase({ file: join(folder, 'db.sqlite'), external: undefined, tables: [] });
  client = new DynamoDBStreamsClient({ endpoint: database.url });
});
afterAll(async () => {
  client.destroy();
  await database.close();
});

beforeEach(async () => {
  table += 1;
  pumps = [];
  log = [];
  await createTables(database.client, [{ name: name(), partitionKey: { name: 'pk', type: 'S' }, stream: 'new' }]);
});
afterEach(() => Promise.all(pumps.map((pump) => pump.close())));

async function pumpTo(deliver: (event: DynamoDBStreamEvent) => unknown, concurrentBatches = 1) {
  const { Table } = await database.client.send(new DescribeTableCommand({ TableName: name() }));
  const pump = await startStreamPump({
    client,
    streamArn: Table!.LatestStreamArn!,
    filters: eventPatterns({ name: 'job', type: 'BOOL' }),
    concurrentBatches,
    restMs: 50,
    deliver: async (event) => deliver(event),
    checkpointFile: join(folder, `${name()}.json`),
    log: (line) => log.push(line),
  });
  pumps.push(pump);
  return pump;
}

describe('a stream pump', () => {
  test('delivers each record whose new image has the attribute once, in order, at most a hundred at a time', async () => {
    await putAll(250);
    await put(250, { job: { S: 'of another type' } });
    const { seen, batches, deliver } = recorder();
    await (await pumpTo(deliver)).settled();
    expect(seen).toEqual(upTo(250));
    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  test('delivers several batches concurrently, but the records of one item in order', async () => {
    await putAll(250);
    const seen: number[] = [];
    const running = new Set<number>();
    let max = 0;
    const pump = await pumpTo(async ({ Records }) => {
      const items = new Set(Records.map((record) => numberOf(record) % 7));
      expect(running.intersection(items)).toEqual(new Set());
      for (const item of items) running.add(item);
      max = Math.max(max, running.size - items.size + 1);
      await sleep(2);
      for (const item of items) running.delete(item);
      seen.push(...Records.map(numberOf));
    }, 4);
    await pump.settled();
    expect(seen.toSorted((a, b) => a - b)).toEqual(upTo(250));
    for (let item = 0; item < 7; item += 1)
      expect(seen.filter((n) => n % 7 === item)).toEqual(upTo(250).filter((n) => n % 7 === item));
    expect(max).toBeGreaterThan(1);
    expect(log).toEqual([]);
  });

  test('delivers DynamoDB JSON, like Lambda', async () => {
    const { batches, deliver } = recorder();
    await put(0, {
      bytes: { B: Buffer.from('hash') },
      map: { M: { list: { L: [{ S: 'x' }, { NULL: true }] } } },
      set: { SS: ['a'] },
    });
    await (await pumpTo(deliver)).settled();
    const [record] = batches[0]!;
    expect(record).toMatchObject({ eventName: 'INSERT', eventSource: 'aws:dynamodb', eventID: expect.any(String) });
    expect(JSON.parse(JSON.stringify(record!.dynamodb))).toMatchObject({
      Keys: { pk: { S: 'p0' } },
      NewImage: {
        n: { N: '0' },
        bytes: { B: Buffer.from('hash').toString('base64') },
        map: { M: { list: { L: [{ S: 'x' }, { NULL: true }] } } },
        set: { SS: ['a'] },
      },
      SequenceNumber: expect.any(String),
      ApproximateCreationDateTime: expect.any(Number),
    });
  });

  test('retries a batch until it succeeds and its response is valid, and keeps the order', async () => {
    await putAll(30);
    const { seen, deliver } = recorder();
    let failures = 2;
    const invalid = [{ batchItemFailures: [{ itemIdentifier: 'nobody' }] }, { batchItemFailures: 'all' }];
    const pump = await pumpTo((event) => {
      if (failures-- > 0) throw new Error('not now');
      return invalid.shift() ?? deliver(event);
    });
    await pump.settled();
    expect(seen).toEqual(upTo(30));
    expect(log.join()).toContain('not now');
  });

  test('continues from the first failed record of a batch', async () => {
    await putAll(10);
    const done: number[] = [];
    const tries = new Map<number, number>();
    const pump = await pumpTo(({ Records }) => {
      const failed = Records.filter((record) => {
        const n = numberOf(record);
        tries.set(n, (tries.get(n) ?? 0) + 1);
        if (n !== 4 || tries.get(n)! > 2) done.push(n);
        return n === 4 && tries.get(n)! <= 2;
      });
      return { batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb!.SequenceNumber })) };
    });
    await pump.settled();
    expect(upTo(4).map((n) => tries.get(n))).toEqual([1, 1, 1, 1]);
    expect(tries.get(4)).toBe(3);
    expect(new Set(done)).toEqual(new Set(upTo(10)));
    expect(done.filter((n) => n >= 4).slice(-6)).toEqual([4, 5, 6, 7, 8, 9]);
  });

  test('continues after a restart where it stopped', async () => {
    await putAll(5);
    const first = recorder();
    const pump = await pumpTo(first.deliver);
    await pump.settled();
    await pump.close();
    await putAll(5, 5);
    const second = recorder();
    await (await pumpTo(second.deliver)).settled();
    expect([first.seen, second.seen]).toEqual([upTo(5), [5, 6, 7, 8, 9]]);
  });

  test('repeats only the running batch after a kill', async () => {
    await putAll(120);
    const seen: number[] = [];
    const killed = await pumpTo(({ Records }) => {
      seen.push(...Records.map(numberOf));
      return seen.length > 100 ? new Promise(() => undefined) : undefined;
    });
    await expect.poll(() => seen.length).toBe(120);
    pumps = pumps.filter((pump) => pump !== killed);
    const { seen: again, deliver } = recorder();
    await (await pumpTo(deliver)).settled();
    expect(again).toEqual(upTo(120).slice(100));
  });

  test('is settled once the function has processed all earlier records, even while others are written', async () => {
    const { seen, deliver } = recorder();
    const pump = await pumpTo(async (event) => {
      await sleep(30);
      return deliver(event);
    });
    await putAll(40);
    const writing = putAll(40, 40);
    await pump.settled();
    expect(seen.slice(0, 40)).toEqual(upTo(40));
    await writing;
    await pump.settled();
    expect(seen).toEqual(upTo(80));
  });

  test('closes immediately while a batch keeps failing, and rejects pending waits', async () => {
    await put(0);
    let tries = 0;
    const pump = await pumpTo(() => {
      tries += 1;
      return Promise.reject(new Error('never'));
    });
    const waiting = pump.settled().catch((error: Error) => error.message);
    await expect.poll(() => tries).toBeGreaterThan(2);
    const began = performance.now();
    await pump.close();
    expect(performance.now() - began).toBeLessThan(200);
    expect(await waiting).toContain('stopping');
    await expect(pump.settled()).rejects.toThrow('stopping');
  });
});
