import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type DynamoDBDocumentClient, paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { ArchiveFiles } from '#domain/billing/archive.ts';
import { readItem } from '../shared/read-item.ts';
import { archiveKey, partKey, seqOf } from './ledger-items.ts';

const unzip = promisify(gunzip);

/** Maximum uncompressed size of a part. A row has about 0.3 KB, and its size is limited. */
export const maxPartBytes = 32 * 1024 * 1024;

const entriesPerPage = 100;

const Part = v.object({ a: v.number(), sk: v.string(), key: v.string(), sha256: v.string() });
type Part = v.InferOutput<typeof Part>;

const Head = v.object({ through: v.number() });

export const sha256Of = (lines: string | Uint8Array): string => createHash('sha256').update(lines).digest('hex');

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
