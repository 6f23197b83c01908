import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Page } from '#domain/agents/agent.ts';
import { readable } from '../shared/readable.ts';

/** Reads for one page of a list: a read ends at 1 MB. */
const maxReads = 10;

const SortKey = v.object({ sk: v.string() });

export interface ListQuery<Schema extends v.GenericSchema> {
  readonly pk: string;
  readonly prefix: string;
  /** The last one of the page before, without its prefix. */
  readonly cursor: string | undefined;
  readonly limit: number;
  readonly schema: Schema;
  /** Epoch ms: what has expired by then is left out. */
  readonly now?: number;
}

/** The newest of a partition under a prefix, and what names the last one shown where there are more. */
export async function newestFirst<Schema extends v.GenericSchema>(
  client: DynamoDBDocumentClient,
  table: string,
  { pk, prefix, cursor, limit, schema, now }: ListQuery<Schema>,
): Promise<Page<v.InferOutput<Schema>>> {
  const query: QueryCommandInput = {
    TableName: table,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ...(now !== undefined && { FilterExpression: 'expiresAt > :now' }),
    ExpressionAttributeValues: {
      ':pk': pk,
      ':first': prefix,
      ':last': `${prefix}${cursor ?? '~'}`,
      ...(now !== undefined && { ':now': now }),
    },
    ScanIndexForward: false,
    ConsistentRead: true,
    Limit: limit + 2,
  };
  const items: Record<string, unknown>[] = [];
  let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
  for (let reads = 0; reads < maxReads && items.length <= limit; reads++) {
    const { Items = [], LastEvaluatedKey } = await client.send(new QueryCommand({ ...query, ExclusiveStartKey }));
    items.push(...Items.filter((item) => sortKeyOf(item) !== `${prefix}${cursor}`));
    ExclusiveStartKey = LastEvaluatedKey;
    if (!LastEvaluatedKey) break;
  }
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  const isMore = items.length > limit || ExclusiveStartKey !== undefined;
  return { items: readable(schema, shown), next: isMore && last ? sortKeyOf(last).slice(prefix.length) : null };
}

const sortKeyOf = (item: unknown): string => v.parse(SortKey, item).sk;
