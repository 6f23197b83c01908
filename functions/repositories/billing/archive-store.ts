import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type DynamoDBDocumentClient, paginateQuery, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { ArchiveFiles, ArchiveStore, LedgerPart } from '#domain/billing/archive.ts';
import { batchesOf, deleteKeys } from '../shared/deletion.ts';
import { readItem } from '../shared/read-item.ts';
import { commit } from '../shared/transaction.ts';
import { archivedLedger, maxPartBytes, sha256Of } from './archived-ledger.ts';
import { archiveKey, partKey, rowKey } from './ledger-items.ts';

const zip = promisify(gzip);

/** Milliseconds between batches of 25 deletions, to use at most 750 of 1,000 write units per second. */
const betweenDeletionsMs = 25;

const cursorKey = { a: 0, sk: 'archive-cursor' } as const;

const lastSortKey = '~';

const Stored = v.object({ seq: v.number(), at: v.number(), amount: v.number() });
const RowKey = v.object({ a: v.number(), sk: v.string() });
const Cursor = v.object({ after: v.optional(v.number()) });

export function archiveStore(
  client: DynamoDBDocumentClient,
  table: string,
  files: () => Promise<ArchiveFiles>,
): ArchiveStore {
  const archived = archivedLedger(client, table, files);
  const rows = (accountId: number, from: number, to: number) => ({
    TableName: table,
    KeyConditionExpression: 'a = :account AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':account': accountId,
      ':from': rowKey(accountId, from).sk,
      ':to': rowKey(accountId, to).sk,
    },
    ConsistentRead: true,
  });

  /** Names objects by their content, so that concurrent runs write the same object. */
  async function add(accountId: number, { month, rows: stored }: LedgerPart): Promise<void> {
    const [first, last] = [stored[0]?.seq ?? 0, stored.at(-1)?.seq ?? 0];
    const lines = stored.map(({ line }) => `${line}\n`).join('');
    if (Buffer.byteLength(lines) > maxPartBytes)
      throw new Error(`The ledger rows of account ${accountId} from ${first} on are too large for an archive object.`);
    const sha256 = sha256Of(lines);
    const key = `ledger/${accountId}/${month}/${String(first).padStart(16, '0')}-${sha256}.jsonl.gz`;
    const bytes = await zip(lines);
    await (await files()).write(key, bytes);
    const amount = stored.reduce((sum, row) => sum + row.amount, 0);
    const entry = { first, last, rows: stored.length, amount, bytes: bytes.length, sha256, key };
    await commit(client, [
      { Put: { TableName: table, Item: { ...partKey(accountId, first), ...entry } } },
      {
        Update: {
          TableName: table,
          Key: archiveKey(accountId),
          UpdateExpression: 'SET through = :last',
          ConditionExpression: first === 1 ? 'attribute_not_exists(through)' : 'through = :before',
          ExpressionAttributeValues: { ':last': last, ...(first > 1 && { ':before': first - 1 }) },
        },
      },
    ]);
  }

  async function* keysUpTo(accountId: number, seq: number): AsyncGenerator<v.InferOutput<typeof RowKey>> {
    const query = { ...rows(accountId, 0, seq), ProjectionExpression: 'a, sk' };
    for await (const { Items = [] } of paginateQuery({ client }, query)) yield* v.parse(v.array(RowKey), Items);
  }

  return {
    through: (accountId) => archived.through(accountId),
    add,
    /** Each request starts after the last sort key of an account, so it reads one item of the next account. */
    async *accounts(after) {
      for (let from = after; ;) {
        const scan = {
          TableName: table,
          Limit: 1,
          ProjectionExpression: 'a, sk',
          ...(from !== undefined && { ExclusiveStartKey: { a: from, sk: lastSortKey } }),
        };
        const { Items = [] } = await client.send(new ScanCommand(scan));
        if (Items.length === 0) return;
        from = v.parse(RowKey, Items[0]).a;
        if (from !== cursorKey.a) yield from;
      }
    },
    async cursor() {
      return v.parse(Cursor, (await readItem(client, table, cursorKey)) ?? {}).after;
    },
    async keepCursor(after) {
      const Item = { ...cursorKey, ...(after !== undefined && { after }) };
      await client.send(new PutCommand({ TableName: table, Item }));
    },
    async rowsAfter(accountId, seq, limit) {
      const query = { ...rows(accountId, seq + 1, Number.MAX_SAFE_INTEGER), Limit: limit };
      const found: unknown[] = [];
      for await (const { Items = [] } of paginateQuery({ client }, query)) {
        found.push(...Items);
        if (found.length >= limit) break;
      }
      return found.slice(0, limit).map((item) => ({ ...v.parse(Stored, item), line: lineOf(item) }));
    },
    async removeArchived(accountId, seq, signal) {
      for await (const batch of batchesOf(keysUpTo(accountId, seq))) {
        if (signal.aborted) return;
        await deleteKeys(client, table, batch);
        await sleep(betweenDeletionsMs);
      }
    },
  };
}

/** Sorts the attributes of every object by name, because DynamoDB returns them in any order. */
const lineOf = (item: unknown): string =>
  JSON.stringify(item, (_name, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
