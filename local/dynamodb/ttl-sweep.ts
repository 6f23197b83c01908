import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import type { TableSpec } from '#contract/platform/resources.ts';
import { type DatabaseFile, type Key, keyOf } from './database-file.ts';

/** `file` is missing of a database that somebody else runs. */
export interface SweptDatabase {
  readonly client: DynamoDBClient;
  readonly file: DatabaseFile | undefined;
}

/** Deletes items whose time is over. `now` in epoch milliseconds, of the shifted clock. */
export type TtlSweep = (now: number) => Promise<void>;

/** Expired items looked up at a time, and how long a run goes on: the next one continues. */
const itemsPerSlice = 50;
const runMs = 2000;
/** Items that are read of a table in one run if it has no index of the expiry, about 5 ms. */
const itemsPerScan = 250;

/**
 * Does what DynamoDB does by itself and the embedded database does not. At rest it costs a look into an index; one item
 * at a time is deleted, so that a read beside it waits for one write at most.
 */
export function createTtlSweep({ client, file }: SweptDatabase, specs: readonly TableSpec[]): TtlSweep {
  const expiring = specs.filter(({ ttlAttribute }) => ttlAttribute !== undefined);
  const cursors = new Map<string, Key | undefined>();

  /** The next page of a table, from where the last run ended. */
  async function scanExpired(spec: TableSpec, nowSeconds: number): Promise<Key[]> {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        ...isOver(spec, nowSeconds),
        FilterExpression: condition,
        Limit: itemsPerScan,
        ExclusiveStartKey: cursors.get(spec.name),
      }),
    );
    cursors.set(spec.name, LastEvaluatedKey);
    const names = [spec.partitionKey, ...(spec.sortKey ? [spec.sortKey] : [])].map(({ name }) => name);
    return Items.map((item) => keyOf(item, names));
  }

  async function sweepTable(spec: TableSpec, nowSeconds: number, end: number): Promise<void> {
    for (;;) {
      const keys = file ? file.expired(spec, nowSeconds, itemsPerSlice) : await scanExpired(spec, nowSeconds);
      for (const Key of keys) await deleteExpired(client, { ...isOver(spec, nowSeconds), Key });
      if (!file || keys.length < itemsPerSlice || performance.now() >= end) return;
    }
  }

  return async (now) => {
    const end = performance.now() + runMs;
    for (const spec of expiring) await sweepTable(spec, Math.floor(now / 1000), end);
  };
}

const condition = '#ttl < :now';

const isOver = ({ name, ttlAttribute = '' }: TableSpec, nowSeconds: number) => ({
  TableName: name,
  ExpressionAttributeNames: { '#ttl': ttlAttribute },
  ExpressionAttributeValues: { ':now': { N: String(nowSeconds) } },
});

/** The condition spares an item whose time was prolonged in the meantime. */
async function deleteExpired(client: DynamoDBClient, input: Omit<DeleteItemCommand['input'], 'ConditionExpression'>) {
  try {
    await client.send(new DeleteItemCommand({ ...input, ConditionExpression: condition }));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
