import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import {
  type DynamoDBDocumentClient,
  paginateQuery,
  PutCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { ArchiveFiles, ArchiveStore, LedgerPart } from '#domain/billing/archive.ts';
import { batchesOf, deleteKeys } from '../shared/deletion.ts';
import { readItem } from '../shared/read-items.ts';
import { commit } from '../shared/transaction.ts';
import { usageCounter, archiveKey, partKey, rowKey, seqOf } from './ledger-items.ts';

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
  const counter = usageCounter(client, table);
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
    count: (accountId, before) => counter.count(accountId, before),
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

const unzip = promisify(gunzip);

/** Maximum uncompressed size of a part. A row has about 0.3 KB, and its size is limited. */
const maxPartBytes = 32 * 1024 * 1024;

const entriesPerPage = 100;

const Part = v.object({ a: v.number(), sk: v.string(), key: v.string(), sha256: v.string() });
type Part = v.InferOutput<typeof Part>;

const Head = v.object({ through: v.number() });

const sha256Of = (lines: string | Uint8Array): string => createHash('sha256').update(lines).digest('hex');

export type ArchivedLedger = ReturnType<typeof archivedLedger>;

export function archivedLedger(client: DynamoDBDocumentClient, table: string, files: () => Promise<ArchiveFiles>) {
  const parts = (accountId: number, from: string, to: string) => ({
    TableName: table,
    KeyConditionExpression: 'a = :account AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':account': accountId, ':from': from, ':to': to },
    ConsistentRead: true,
  });
  const newestFirst = (accountId: number, to: number, Limit: number) => ({
    ...parts(accountId, partKey(accountId, 0).sk, partKey(accountId, to).sk),
    ScanIndexForward: false,
    Limit,
  });

  /** Throws if the object is missing or corrupt, so that a loss never appears as an empty list. */
  async function itemsOf(part: Part): Promise<unknown[]> {
    const { a, sk, key, sha256 } = part;
    const broken = (problem: string, cause?: unknown) =>
      new Error(`The archive of account ${a} is broken: ${key} (${sk}) ${problem}`, { cause });
    const bytes = await (await files()).read(key);
    if (!bytes) throw broken('is missing');
    const lines = await unzip(bytes, { maxOutputLength: maxPartBytes }).catch((error: unknown) => {
      throw broken('cannot be unzipped', error);
    });
    if (sha256Of(lines) !== sha256) throw broken('does not match its checksum');
    return lines
      .toString()
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
  }

  return {
    async through(accountId: number): Promise<number> {
      const item = await readItem(client, table, archiveKey(accountId));
      return item ? v.parse(Head, item).through : 0;
    },
    async *before(accountId: number, before: number): AsyncGenerator<unknown[]> {
      if (before <= 1) return;
      const query = newestFirst(accountId, before - 1, entriesPerPage);
      for await (const { Items = [] } of paginateQuery({ client }, query)) {
        for (const part of v.parse(v.array(Part), Items)) {
          const items = await itemsOf(part);
          yield items.filter((item) => seqOf(item) < before).toReversed();
        }
      }
    },
    async *between(accountId: number, from: number, to: number): AsyncGenerator<unknown[]> {
      if (from > to) return;
      const { Items: [first] = [] } = await client.send(new QueryCommand(newestFirst(accountId, from, 1)));
      const start = first ? v.parse(Part, first).sk : partKey(accountId, from).sk;
      const query = { ...parts(accountId, start, partKey(accountId, to).sk), Limit: entriesPerPage };
      for await (const { Items = [] } of paginateQuery({ client }, query)) {
        for (const part of v.parse(v.array(Part), Items)) {
          const items = await itemsOf(part);
          yield items.filter((item) => seqOf(item) >= from && seqOf(item) <= to);
        }
      }
    },
  };
}
