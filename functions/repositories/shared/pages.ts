import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type * as v from 'valibot';
import type { Page } from '#domain/shared/ports.ts';
import { readable, sortKeyOf } from './read-items.ts';

/** Reads per page. A read ends at 1 MB. */
const maxReads = 10;
/** Bytes of items as JSON after which a page ends. Lambda sends responses of up to 6 MB. */
const maxBytes = 2 * 1024 * 1024;

export interface ListQuery<Schema extends v.GenericSchema> {
  readonly pk: string;
  readonly prefix: string;
  /** Sort key of the previous page's last item, without the prefix. */
  readonly cursor: string | undefined;
  readonly limit: number;
  readonly schema: Schema;
  /** Epoch ms. Omits items that have expired by then. */
  readonly now?: number;
}

/** The next page starts after the last listed item, or after the last read one if the others had expired. */
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
  const shown: Record<string, unknown>[] = [];
  let bytes = 0;
  let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
  const pageTo = (last: unknown) => {
    return { items: readable(schema, shown), next: last ? sortKeyOf(last).slice(prefix.length) : null };
  };
  for (let reads = 0; reads < maxReads; reads++) {
    const { Items = [], LastEvaluatedKey } = await client.send(new QueryCommand({ ...query, ExclusiveStartKey }));
    for (const item of Items.filter((one) => sortKeyOf(one) !== `${prefix}${cursor}`)) {
      bytes += Buffer.byteLength(JSON.stringify(item));
      const isFull = shown.length === limit || bytes > maxBytes;
      if (isFull && shown.length > 0) return pageTo(shown.at(-1));
      shown.push(item);
    }
    ExclusiveStartKey = LastEvaluatedKey;
    if (!LastEvaluatedKey) break;
  }
  return pageTo(ExclusiveStartKey);
}
