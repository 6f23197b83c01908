import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchGetCommand,
  type BatchGetCommandOutput,
  type DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
} from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { doublingPause } from '#contract/shared/time.ts';

/** Key of an item in a table with the keys `pk` and `sk`. */
export const Key = v.object({ pk: v.string(), sk: v.string() });
export type Key = v.InferOutput<typeof Key>;

const SortKey = v.pick(Key, ['sk']);
export const sortKeyOf = (item: unknown): string => v.parse(SortKey, item).sk;

/** The partition of an account in every table of resources that has one. */
export const accountPartition = (accountId: number): string => `account#${accountId}`;

/** Consistent read; undefined if the item does not exist. */
export async function readItem(
  client: DynamoDBDocumentClient,
  TableName: string,
  Key: Record<string, string | number>,
): Promise<Record<string, unknown> | undefined> {
  return (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
}

type Item = Record<string, unknown>;

/** Consistent read of all items of a partition whose sort keys begin with a prefix, in the order of those. */
export async function readPrefix(
  client: DynamoDBDocumentClient,
  TableName: string,
  pk: string,
  prefix: string,
): Promise<Item[]> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
    ConsistentRead: true,
  };
  const items: Item[] = [];
  for await (const { Items = [] } of paginateQuery({ client }, query)) items.push(...Items);
  return items;
}

const keysPerRead = 100;

/** Tries without progress before giving up. DynamoDB omits keys of a busy partition and of responses above 16 MB. */
const maxStalledTries = 6;
/** Milliseconds, drawn from half the bound up to it (AWS "Exponential Backoff And Jitter"). */
const pauseBoundMs = { first: 50, max: 800 } as const;

/** Reads existing items, unordered. Throws a throttling error if DynamoDB returns none of the rest for about 2 s. */
export async function readItems(
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly Item[],
  attributes?: readonly string[],
): Promise<Item[]> {
  const projection = attributes && {
    ProjectionExpression: attributes.map((name) => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
  };

  async function read(some: readonly Item[]): Promise<Item[]> {
    const items: Item[] = [];
    let left = [...some];
    for (let inVain = 0; left.length > 0;) {
      const request = new BatchGetCommand({
        RequestItems: { [table]: { ...projection, ConsistentRead: true, Keys: left } },
      });
      const found: BatchGetCommandOutput = await client.send(request);
      items.push(...(found.Responses?.[table] ?? []));
      const unprocessed = found.UnprocessedKeys?.[table]?.Keys ?? [];
      inVain = unprocessed.length < left.length ? 0 : inVain + 1;
      if (inVain === maxStalledTries) throw notAllRead();
      left = unprocessed;
      if (left.length > 0) await sleep(pauseAfter(inVain));
    }
    return items;
  }

  const starts = Array.from({ length: Math.ceil(keys.length / keysPerRead) }, (_, index) => index * keysPerRead);
  return (await Promise.all(starts.map((start) => read(keys.slice(start, start + keysPerRead))))).flat();
}

function pauseAfter(inVain: number): number {
  const bound = doublingPause(inVain + 1, pauseBoundMs);
  return (bound * (1 + Math.random())) / 2;
}

/** Has the name that callers treat as a transient failure. */
export const notAllRead = (): Error =>
  Object.assign(new Error('DynamoDB left some of the items unprocessed'), { name: 'ThrottlingException' });

/** Parses stored items and skips the unreadable ones, so that they do not hide the others. */
export function readable<Schema extends v.GenericSchema>(
  schema: Schema,
  items: readonly unknown[],
): v.InferOutput<Schema>[] {
  return items.flatMap((item) => {
    const result = v.safeParse(schema, item);
    return result.success ? [result.output] : [];
  });
}
