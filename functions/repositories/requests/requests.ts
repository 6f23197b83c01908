import { type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { RecordedLine } from '#contract/platform/request-record.ts';
import type { RequestFilter, RequestStore } from '#domain/requests/request-log.ts';
import { readable } from '../shared/readable.ts';

/** Items that one read examines, and reads for one page: a rare status in a long log ends a page early. */
const itemsPerRead = 500;
const maxReads = 4;

const Row = v.pipe(
  v.object({ a: v.number(), ...v.omit(RecordedLine, ['accountId']).entries }),
  v.transform(({ a: accountId, ...row }): RecordedLine => ({ accountId, ...row })),
);
const SortKey = v.object({ sk: v.string() });
const sortKeyOf = (item: unknown): string => v.parse(SortKey, item).sk;

/** Orders the requests of an account by time; a request has one, however often it is written. */
const sortKey = (at: number, requestId: string): string => `${new Date(at).toISOString()}#${requestId}`;

export function requestStore(client: DynamoDBDocumentClient, table: string): RequestStore {
  /** Sort keys up to `last`, newest first. */
  function query(accountId: number, filter: RequestFilter, last: string): QueryCommand {
    return new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'a = :account AND sk BETWEEN :from AND :last',
      ...matching(filter, { ':account': accountId, ':from': sortKey(filter.from, ''), ':last': last }),
      ScanIndexForward: false,
      Limit: itemsPerRead,
    });
  }

  return {
    async put({ accountId, ...line }, expiresAt) {
      const { at } = line.record;
      const Item = { a: accountId, sk: sortKey(at, line.requestId), ttl: Math.ceil(expiresAt / 1000), ...line };
      await client.send(new PutCommand({ TableName: table, Item }));
    },
    async page(accountId, filter, limit, cursor) {
      const first = sortKey(filter.from, '');
      const newest = sortKey(filter.to, '~');
      let last = cursor !== undefined && cursor < newest ? cursor : newest;
      const items: Record<string, unknown>[] = [];
      for (let reads = 0; reads < maxReads && last >= first; reads++) {
        const { Items = [], LastEvaluatedKey } = await client.send(query(accountId, filter, last));
        // The last key of a page or a read begins the next one, and belongs to the one before.
        const exclusive = last;
        items.push(...Items.filter((item) => sortKeyOf(item) !== exclusive));
        if (items.length > limit) {
          const shown = items.slice(0, limit);
          return { rows: readable(Row, shown), next: sortKeyOf(shown.at(-1)) };
        }
        if (!LastEvaluatedKey) return { rows: readable(Row, items), next: null };
        last = sortKeyOf(LastEvaluatedKey);
      }
      return { rows: readable(Row, items), next: last >= first ? last : null };
    },
  };
}

type Values = Readonly<Record<string, string | number>>;

/** The filter of a query, of those that are given. */
function matching({ status, service, model, keyId }: RequestFilter, keys: Values) {
  const clauses = [
    status && { text: '#status BETWEEN :min AND :max', values: { ':min': status.min, ':max': status.max } },
    service && { text: '#record.service = :service', values: { ':service': service } },
    model !== undefined && { text: '#record.model = :model', values: { ':model': model } },
    keyId !== undefined && { text: 'keyId = :key', values: { ':key': keyId } },
  ].filter((clause) => typeof clause === 'object');
  const FilterExpression = clauses.map(({ text }) => text).join(' AND ');
  const ExpressionAttributeValues = Object.assign({}, keys, ...clauses.map(({ values }) => values));
  const used = { '#status': 'status', '#record': 'record' };
  const names = Object.fromEntries(Object.entries(used).filter(([name]) => FilterExpression.includes(name)));
  if (FilterExpression === '') return { ExpressionAttributeValues };
  return {
    FilterExpression,
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ExpressionAttributeValues,
  };
}
