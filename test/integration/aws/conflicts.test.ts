import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { retryConflicts, withConflictRetries } from '#aws/conflicts.ts';
import { tables } from '#contract/platform/resources.ts';
import { startDynamoProxy } from '#local/dynamodb/dynamodb-proxy.ts';
import { createFaults } from '#local/shared/faults.ts';
import type { Loopback } from '#local/shared/loopback.ts';
import { commit } from '#repositories/shared/transaction.ts';
import { useTestDatabase } from '#test/database/database.ts';

const faults = createFaults();
const database = useTestDatabase();
let proxy: Loopback;
let client: DynamoDBDocumentClient;
let requests = 0;
beforeAll(async () => {
  proxy = await startDynamoProxy({ upstream: database.url, faults, onRequest: () => void (requests += 1) });
  client = DynamoDBDocumentClient.from(withConflictRetries(new DynamoDBClient({ endpoint: proxy.url })));
});
afterAll(async () => {
  client.destroy();
  await proxy.close();
});
beforeEach(() => {
  requests = 0;
  faults.order({ target: 'dynamodb', fault: 'none', count: 1 });
});
const TableName = tables.meters.name;
const conflicts = (count: number) => faults.order({ target: 'dynamodb', fault: 'conflict', count });
const increment = (a: number, condition = 'attribute_not_exists(x)') => ({
  TableName,
  Key: { a },
  UpdateExpression: 'ADD n :one',
  ConditionExpression: condition,
  ExpressionAttributeValues: { ':one': 1 },
});
const count = async (a: number) =>
  (await client.send(new GetCommand({ TableName, Key: { a }, ConsistentRead: true }))).Item?.['n'];

describe('a write that conflicts with a transaction', () => {
  it('is retried once and then succeeds', async () => {
    conflicts(5);
    await client.send(new UpdateCommand(increment(1)));
    expect([requests, await count(1)]).toEqual([6, 1]);
  });

  it('is retried as a transaction with the same token', async () => {
    const tokens = new Set<unknown>();
    client.middlewareStack.add(
      (next) => (args) => {
        const { body } = args.request as { body: Uint8Array };
        tokens.add(JSON.parse(new TextDecoder().decode(body)).ClientRequestToken);
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low', name: 'tokens' },
    );
    conflicts(5);
    const items = [{ Update: increment(2) }, { Update: increment(3) }];
    expect(await commit(client, items)).toBe(true);
    client.middlewareStack.remove('tokens');
    expect([...tokens]).toEqual([expect.any(String)]);
    expect([requests, await count(2), await count(3)]).toEqual([6, 1, 1]);
  });

  it('fails immediately if its own condition fails', async () => {
    const items = [{ Update: increment(4) }, { Update: increment(5, 'attribute_exists(x)') }];
    expect(await commit(client, items)).toBe(false);
    await expect(client.send(new UpdateCommand(increment(5, 'attribute_exists(x)')))).rejects.toMatchObject({
      name: 'ConditionalCheckFailedException',
    });
    expect([requests, await count(4)]).toEqual([2, undefined]);
  });

  it('fails after two seconds of conflicts', { timeout: 20_000 }, async () => {
    conflicts(10_000);
    const began = performance.now();
    await expect(client.send(new UpdateCommand(increment(6)))).rejects.toMatchObject({
      name: 'TransactionConflictException',
    });
    await expect(
      client.send(new TransactWriteCommand({ TransactItems: [{ Update: increment(6) }] })),
    ).rejects.toMatchObject({ name: 'TransactionCanceledException' });
    expect(performance.now() - began).toBeLessThan(8000);
    expect(requests).toBeGreaterThan(10);
    faults.order({ target: 'dynamodb', fault: 'none', count: 1 });
    expect(await count(6)).toBeUndefined();
  });
});

describe('a cancelled transaction is retried', () => {
  const cancelled = (...codes: string[]) => {
    const reasons = { CancellationReasons: codes.map((Code) => ({ Code })) };
    return Object.assign(new Error('cancelled'), { name: 'TransactionCanceledException', ...reasons });
  };

  it.each<[string, string[], number]>([
    ['if only conflicts cancelled it', ['None', 'TransactionConflict', 'TransactionConflict'], 2],
    ['but not if a condition did', ['TransactionConflict', 'ConditionalCheckFailed'], 1],
    ['but not if throttling did', ['ThrottlingError', 'None'], 1],
    ['but not without a reason', ['None'], 1],
  ])('%s', async (_, codes, expected) => {
    let tries = 0;
    const write = async () => {
      tries += 1;
      if (tries === 1) throw cancelled(...codes);
    };
    await retryConflicts(write, { patienceMs: 1000 }).catch(() => undefined);
    expect(tries).toBe(expected);
  });
});
