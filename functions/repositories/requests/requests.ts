import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { RecordedLine, recordedHeaders, RequestRecord } from '#contract/platform/request-record.ts';
import { tables } from '#contract/platform/resources.ts';
import { iso } from '#contract/shared/time.ts';
import type { RequestFilter, RequestStore } from '#domain/requests/request-log.ts';
import { inserter } from '../shared/insert.ts';
import { readable, sortKeyOf } from '../shared/read-items.ts';

/** Items per further read of an index, and reads per page. A rare filter ends a page early. */
const itemsPerRead = 500;
const maxReads = 5;
const firstFailure = 400;

/** First statuses of the classes of the index `failures`. Streams may fail after 200. */
const failureClasses = [200, firstFailure, 500] as const;

/** Items name a header by its position in `recordedHeaders`: the names would be a third of an item. */
const storedHeaders = (headers: RecordedLine['record']['headers']): Record<string, string> =>
  Object.fromEntries(recordedHeaders.flatMap((name, at) => (headers[name] === undefined ? [] : [[at, headers[name]]])));

/** Items of earlier versions contain the names. */
const StoredHeaders = v.pipe(
  v.record(v.string(), v.string()),
  v.transform((stored) =>
    Object.fromEntries(Object.entries(stored).map(([at, value]) => [recordedHeaders[Number(at)] ?? at, value])),
  ),
  RequestRecord.entries.headers,
);

/** The sort key has the time and the id. */
const Row = v.pipe(
  v.object({
    a: v.number(),
    sk: v.string(),
    ...v.omit(RecordedLine, ['accountId', 'requestId']).entries,
    record: v.object({ ...v.omit(RequestRecord, ['at']).entries, headers: StoredHeaders }),
  }),
  v.transform(({ a: accountId, sk, record, ...row }): RecordedLine => {
    const [time = '', requestId = ''] = sk.split('#');
    return { accountId, requestId, ...row, record: { at: Date.parse(time), ...record } };
  }),
);
const failures: keyof typeof tables.requests.indexes = 'failures';

/** Orders an account's requests by time. Repeated writes of a request have the same key. */
const sortKey = (at: number, requestId: string): string => `${iso(at)}#${requestId}`;

const failureKey = (accountId: number, status: number): string => `${accountId}#${Math.floor(status / 100)}`;

export function requestStore(client: DynamoDBDocumentClient, table: string): RequestStore {
  const insert = inserter(client, table);

  /**
   * Queries sort keys up to `last`, newest first. Failures use an index; a filter for a whole class is its key. A
   * search for an error reads the failures of every class.
   */
  function queries(accountId: number, filter: RequestFilter, last: string, limit: number): QueryCommand[] {
    const { status, error } = filter;
    const range = { ':from': sortKey(filter.from, ''), ':last': last };
    const sorted = { TableName: table, ScanIndexForward: false, Limit: limit };
    const isFailure = status !== undefined && status.min >= firstFailure;
    if (!isFailure && error === undefined)
      return [
        new QueryCommand({
          ...sorted,
          KeyConditionExpression: 'a = :account AND sk BETWEEN :from AND :last',
          ...matching(filter, { ':account': accountId, ...range }),
        }),
      ];
    const classes = status ? [status.min] : failureClasses;
    return classes.map((min) => {
      const isWhole = isFailure && status.min < status.max;
      return new QueryCommand({
        ...sorted,
        IndexName: failures,
        KeyConditionExpression: 'f = :failures AND sk BETWEEN :from AND :last',
        ...matching(isWhole ? { ...filter, status: undefined } : filter, {
          ':failures': failureKey(accountId, min),
          ...range,
        }),
      });
    });
  }

  /** Reads the newest items up to `last`, and returns the place up to which all have been read, or null at the end. */
  async function read(accountId: number, filter: RequestFilter, last: string, limit: number) {
    const sent = queries(accountId, filter, last, limit).map((query) => client.send(query));
    const found = await Promise.all(sent);
    const ends = found.flatMap(({ LastEvaluatedKey }) => (LastEvaluatedKey ? [sortKeyOf(LastEvaluatedKey)] : []));
    const end = ends.toSorted().at(-1) ?? null;
    const items = found.flatMap(({ Items = [] }) => Items).filter((item) => end === null || sortKeyOf(item) >= end);
    return { items: items.toSorted((one, other) => (sortKeyOf(one) < sortKeyOf(other) ? 1 : -1)), end };
  }

  return {
    async put({ accountId, requestId, record: { at, headers, ...record }, ...line }, expiresAt) {
      const key = { a: accountId, sk: sortKey(at, requestId) };
      // A stream may fail after status 200.
      const isFailed = line.status >= firstFailure || line.code !== undefined;
      const failed = isFailed && { f: failureKey(accountId, line.status) };
      const stored = { ...line, record: { ...record, headers: storedHeaders(headers) } };
      const Item = { ...key, ...failed, ttl: Math.ceil(expiresAt / 1000), ...stored };
      await insert([Item]);
    },
    async page(accountId, filter, limit, cursor) {
      const first = sortKey(filter.from, '');
      const newest = sortKey(filter.to, '~');
      let last = cursor !== undefined && cursor < newest ? cursor : newest;
      const items: Record<string, unknown>[] = [];
      const isWanted = searched(filter);
      for (let reads = 0; reads < maxReads && last >= first; reads++) {
        // Reads two items more: one may be the last item of the previous page, the other shows whether a page follows.
        const size = reads === 0 && !isWanted ? limit + 2 : itemsPerRead;
        const page = await read(accountId, filter, last, size);
        // A read starts with the last key of the previous page or read, which is already listed.
        const exclusive = last;
        items.push(...page.items.filter((item) => sortKeyOf(item) !== exclusive && (!isWanted || isWanted(item))));
        if (items.length > limit) {
          const shown = items.slice(0, limit);
          return { rows: readable(Row, shown), next: sortKeyOf(shown.at(-1)) };
        }
        if (page.end === null) return { rows: readable(Row, items), next: null };
        last = page.end;
      }
      return { rows: readable(Row, items), next: last >= first ? last : null };
    },
  };
}

const Searched = v.object({
  sk: v.string(),
  code: v.optional(v.string(), ''),
  record: v.object({ detail: v.optional(v.string(), '') }),
});

/** Filters by the id, which is part of the key, and by text in any case, both of which DynamoDB cannot. */
function searched({ requestId, error }: RequestFilter): ((item: unknown) => boolean) | undefined {
  if (requestId === undefined && error === undefined) return undefined;
  const wanted = error?.toLowerCase() ?? '';
  return (item) => {
    const result = v.safeParse(Searched, item);
    if (!result.success) return false;
    const { sk, code, record } = result.output;
    const isFound = requestId === undefined || sk.endsWith(`#${requestId}`);
    return isFound && `${code} ${record.detail}`.toLowerCase().includes(wanted);
  };
}

type Values = Readonly<Record<string, string | number>>;

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
