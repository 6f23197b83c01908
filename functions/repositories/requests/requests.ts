import { type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { RecordedLine } from '#contract/platform/request-record.ts';
import { tables } from '#contract/platform/resources.ts';
import type { RequestFilter, RequestStore } from '#domain/requests/request-log.ts';
import { readable } from '../shared/attributes.ts';

/**
 * Items that a read examines after the first, which examines a page, and reads for one page: what is rare in a long log
 * ends a page early.
 */
const itemsPerRead = 500;
const maxReads = 5;
const firstFailure = 400;

const Row = v.pipe(
  v.object({ a: v.number(), ...v.omit(RecordedLine, ['accountId']).entries }),
  v.transform(({ a: accountId, ...row }): RecordedLine => ({ accountId, ...row })),
);
const failures: keyof typeof tables.requests.indexes = 'failures';
const SortKey = v.object({ sk: v.string() });
const sortKeyOf = (item: unknown): string => v.parse(SortKey, item).sk;

/** Orders the requests of an account by time; a request has one, however often it is written. */
const sortKey = (at: number, requestId: string): string => `${new Date(at).toISOString()}#${requestId}`;

/** Partition of the index of failures, by the class of the status. */
const failureKey = (accountId: number, status: number): string => `${accountId}#${Math.floor(status / 100)}`;

export function requestStore(client: DynamoDBDocumentClient, table: string): RequestStore {
  /** Sort keys up to `last`, newest first. Failures are in an index; a filter for their whole class is its key. */
  function query(accountId: number, filter: RequestFilter, last: string, limit: number): QueryCommand {
    const { status, ...others } = filter;
    const range = { ':from': sortKey(filter.from, ''), ':last': last };
    const sorted = { TableName: table, ScanIndexForward: false, Limit: limit };
    if (!status || status.min < firstFailure)
      return new QueryCommand({
        ...sorted,
        KeyConditionExpression: 'a = :account AND sk BETWEEN :from AND :last',
        ...matching(filter, { ':account': accountId, ...range }),
      });
    return new QueryCommand({
      ...sorted,
      IndexName: failures,
      KeyConditionExpression: 'f = :failures AND sk BETWEEN :from AND :last',
      ...matching(status.min < status.max ? others : filter, {
        ':failures': failureKey(accountId, status.min),
        ...range,
      }),
    });
  }

  return {
    async put({ accountId, ...line }, expiresAt) {
      const { at } = line.record;
      const key = { a: accountId, sk: sortKey(at, line.requestId) };
      const failed = line.status >= firstFailure && { f: failureKey(accountId, line.status) };
      const Item = { ...key, ...failed, ttl: Math.ceil(expiresAt / 1000), ...line };
      await client.send(new PutCommand({ TableName: table, Item }));
    },
    async page(accountId, filter, limit, cursor) {
      const first = sortKey(filter.from, '');
      const newest = sortKey(filter.to, '~');
      let last = cursor !== undefined && cursor < newest ? cursor : newest;
      const items: Record<string, unknown>[] = [];
      for (let reads = 0; reads < maxReads && last >= first; reads++) {
        // One more shows whether another page follows, and one may be the last of the page before.
        const size = reads === 0 ? limit + 2 : itemsPerRead;
        const { Items = [], LastEvaluatedKey } = await client.send(query(accountId, filter, last, size));
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
