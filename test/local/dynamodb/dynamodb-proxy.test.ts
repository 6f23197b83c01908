import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  BatchExecuteStatementCommand,
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseProcess, startDatabaseProcess } from '#local/dynamodb/database.ts';
import { type DynamoProxyOptions, startDynamoProxy } from '#local/dynamodb/dynamodb-proxy.ts';
import { createFaults } from '#local/shared/faults.ts';
import { removeFolder, testFolder } from '#test/folder.ts';

const TableName = 'things';
let folder: string;
let database: DatabaseProcess;
let direct: DynamoDBClient;
beforeAll(async () => {
  folder = await testFolder();
  database = await startDatabaseProcess(join(folder, 'db'));
  direct = new DynamoDBClient({ endpoint: database.url });
  await direct.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
});
afterAll(async () => {
  direct.destroy();
  await database.close();
  await removeFolder(folder);
});

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function setUp(
  hooks: Pick<DynamoProxyOptions, 'onReply' | 'onRequest'> = {},
  maxAttempts = 3,
  upstream = database.url,
) {
  const faults = createFaults();
  const proxy = await startDynamoProxy({ upstream, faults, ...hooks });
  const retryStrategy = new ConfiguredRetryStrategy(maxAttempts, 1);
  const client = new DynamoDBClient({ endpoint: proxy.url, retryStrategy });
  ends.push(
    () => proxy.close(),
    () => client.destroy(),
  );
  return { faults, client };
}

const add = (id: string) =>
  new UpdateItemCommand({
    TableName,
    Key: { id: { S: id } },
    UpdateExpression: 'ADD n :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
  });

async function read(id: string): Promise<string | undefined> {
  const { Item } = await direct.send(new GetItemCommand({ TableName, Key: { id: { S: id } }, ConsistentRead: true }));
  return Item?.n?.N;
}

/** Transactions of the database, by the WAL's frames that end one (https://sqlite.org/fileformat2.html, "WAL format"). */
async function commitsDuring(work: () => Promise<unknown>): Promise<number> {
  const file = join(folder, 'db-wal');
  const before = (await stat(file)).size;
  await work();
  const wal = await readFile(file);
  const frame = 24 + wal.readUInt32BE(8);
  let commits = 0;
  for (let at = before; at < wal.length; at += frame) if (wal.readUInt32BE(at + 4) > 0) commits += 1;
  return commits;
}

describe('DynamoDB proxy', () => {
  it('passes large items through unchanged both ways', async () => {
    const { client } = await setUp();
    const text = '🎉é"\\'.repeat(40_000);
    await client.send(new PutItemCommand({ TableName, Item: { id: { S: 'large' }, text: { S: text } } }));
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: { id: { S: 'large' } } }));
    expect(Item?.text?.S).toBe(text);
  });

  it.each([
    ['throttle', 'ThrottlingException'],
    ['unavailable', 'ServiceUnavailableException'],
  ] as const)('keeps a call with the fault %s from the database, and the client retries it', async (fault, name) => {
    const { client, faults } = await setUp();
    faults.order({ target: 'dynamodb', fault, count: 2 });
    const { $metadata } = await client.send(add(fault));
    expect($metadata.attempts).toBe(3);
    expect(await read(fault)).toBe('1');

    faults.order({ target: 'dynamodb', fault, count: 100 });
    await expect(client.send(add(fault))).rejects.toMatchObject({ name });
    expect(await read(fault)).toBe('1');
  });

  it('executes a call whose reply it drops, and the client executes it again', async () => {
    const { client, faults } = await setUp();
    faults.order({ target: 'dynamodb', fault: 'lost-reply', count: 1 });
    const { $metadata } = await client.send(add('lost'));
    expect($metadata.attempts).toBe(2);
    expect(await read('lost')).toBe('2');
  });

  it('fails writes in a conflict as in a transaction: no client retries them, and reads continue', async () => {
    const { client, faults } = await setUp();
    const Key = { id: { S: 'busy' } };
    const refused = { $metadata: { httpStatusCode: 400, attempts: 1 }, message: 'Transaction is ongoing for the item' };
    const single = { ...refused, name: 'TransactionConflictException' };
    const writes = [
      add('busy'),
      new PutItemCommand({ TableName, Item: Key }),
      new DeleteItemCommand({ TableName, Key }),
    ] as const;
    for (const write of writes) {
      faults.order({ target: 'dynamodb', fault: 'conflict', count: 1 });
      expect(await read('busy')).toBeUndefined();
      await expect(client.send(write as UpdateItemCommand)).rejects.toMatchObject(single);
    }
    faults.order({ target: 'dynamodb', fault: 'conflict', count: 1 });
    await client.send(new GetItemCommand({ TableName, Key }));
    const TransactItems = ['busy', 'idle'].map((id) => ({ Put: { TableName, Item: { id: { S: id } } } }));
    await expect(client.send(new TransactWriteItemsCommand({ TransactItems }))).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      message: expect.stringMatching(/specific reasons \[TransactionConflict, None\]$/),
      CancellationReasons: [{ Code: 'TransactionConflict', Message: refused.message }, { Code: 'None' }],
      $metadata: refused.$metadata,
    });
    expect([await read('busy'), await read('idle')]).toEqual([undefined, undefined]);
  });

  it('faults every operation on items, and none on tables', async () => {
    const { client, faults } = await setUp({}, 1);
    faults.order({ target: 'dynamodb', fault: 'unavailable', count: 1 });
    await client.send(new ListTablesCommand({}));
    expect(faults.active()).toHaveLength(1);
    const Key = { id: { S: 'x' } };
    const condition = { KeyConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': { S: 'x' } } };
    const calls = [
      () => client.send(new GetItemCommand({ TableName, Key })),
      () => client.send(new DeleteItemCommand({ TableName, Key })),
      () => client.send(new TransactWriteItemsCommand({ TransactItems: [{ Delete: { TableName, Key } }] })),
      () => client.send(new QueryCommand({ TableName, ...condition })),
    ];
    for (const call of calls) {
      faults.order({ target: 'dynamodb', fault: 'unavailable', count: 1 });
      await expect(call()).rejects.toMatchObject({ name: 'ServiceUnavailableException' });
    }
  });

  it('awaits its hooks: one before the database receives a call, one before the client receives the reply', async () => {
    const seen: (string | undefined)[] = [];
    const look = async (operation: string) => void seen.push(operation, await read('hooked'));
    const { client } = await setUp({ onRequest: look, onReply: look });
    await client.send(add('hooked'));
    expect(seen).toEqual(['UpdateItem', undefined, 'UpdateItem', '1']);
  });

  it('inserts the rows of a batch in one transaction, or one by one if one of them exists', async () => {
    const { client } = await setUp();
    const insert = (ids: readonly string[]) =>
      client.send(
        new BatchExecuteStatementCommand({
          Statements: ids.map((id) => ({
            Statement: `INSERT INTO "${TableName}" VALUE {'id': ?, 'n': ?}`,
            Parameters: [{ S: id }, { N: '1' }],
          })),
        }),
      );
    const commits = await commitsDuring(() => insert(['row-1', 'row-2', 'row-3']));
    expect(commits).toBe(1);
    const { Responses } = await insert(['row-4', 'row-2', 'row-5']);
    expect(Responses?.map(({ Error }) => Error?.Code)).toEqual([undefined, 'DuplicateItem', undefined]);
    for (const id of ['row-1', 'row-2', 'row-3', 'row-4', 'row-5']) expect(await read(id)).toBe('1');
  });

  it('drops a call or its reply if the hook before it fails', async () => {
    const fail = () => Promise.reject(new Error('killed'));
    const before = await setUp({ onRequest: fail }, 1);
    await expect(before.client.send(add('killed'))).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await read('killed')).toBeUndefined();
    const after = await setUp({ onReply: fail }, 1);
    await expect(after.client.send(add('killed'))).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await read('killed')).toBe('1');
  });

  it('does not forward the call of a client that has disconnected', async () => {
    const gone = Promise.withResolvers<void>();
    const received = Promise.withResolvers<void>();
    const { client } = await setUp({
      onRequest: () => {
        received.resolve();
        return gone.promise;
      },
    });
    const aborter = new AbortController();
    const call = client.send(add('gone'), { abortSignal: aborter.signal });
    await received.promise;
    aborter.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    await setTimeout(20);
    gone.resolve();
    await setTimeout(50);
    expect(await read('gone')).toBeUndefined();
  });
});
