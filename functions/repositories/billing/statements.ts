import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { LedgerRows, StatementStore } from '#domain/billing/statements.ts';
import { readable } from '../shared/readable.ts';
import type { ArchivedLedger } from './archive.ts';
import { LedgerItem, rowKey, seqOf } from './ledger-items.ts';
import { usageReader } from './usage-reads.ts';

const maxTries = 15;
const betweenTriesMs = 100;

export function statementStore(
  client: DynamoDBDocumentClient,
  table: string,
  archived: ArchivedLedger,
): StatementStore {
  const between = (accountId: number, from: string, to: string) => ({
    TableName: table,
    KeyConditionExpression: 'a = :account AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':account': accountId, ':from': from, ':to': to },
    ConsistentRead: true,
  });

  async function page(accountId: number, limit: number, before: number): Promise<LedgerRows> {
    const query = {
      ...between(accountId, rowKey(accountId, 0).sk, rowKey(accountId, Math.max(0, before - 1)).sk),
      ScanIndexForward: false,
      Limit: limit + 1,
    };
    const { Items: stored = [] } = await client.send(new QueryCommand(query));
    const items = isWhole(stored, limit + 1, before)
      ? stored
      : await withArchived(accountId, stored, limit + 1, before);
    const shown = items.slice(0, limit);
    const next = items.length > limit ? seqOf(shown.at(-1)) : null;
    return { rows: readable(LedgerItem, shown), newest: seqOf(items[0]), next };
  }

  /** Adds archived rows. Reads `through` after the page, so that rows archived in between are found. */
  async function withArchived(
    accountId: number,
    stored: readonly unknown[],
    limit: number,
    before: number,
  ): Promise<unknown[]> {
    const through = await archived.through(accountId);
    const items = stored.filter((item) => seqOf(item) > through);
    if (items.length >= limit || through === 0) return items;
    for await (const older of archived.before(accountId, Math.min(before, through + 1))) {
      items.push(...older.slice(0, limit - items.length));
      if (items.length >= limit) break;
    }
    return items;
  }

  return {
    page,
    async pageWhenWritten(accountId, limit, before) {
      for (let tries = 1; ; tries++) {
        const read = await page(accountId, limit, before);
        if (read.newest >= before - 1 || tries === maxTries) return read;
        await sleep(betweenTriesMs);
      }
    },
    usage: usageReader(client, table),
  };
}

/** The newest row of an account is never archived. */
function isWhole(items: readonly unknown[], limit: number, before: number): boolean {
  const seqs = items.map(seqOf);
  const [first = 0, last = 0] = [seqs[0], seqs.at(-1)];
  const isNewest = before === Number.MAX_SAFE_INTEGER || first === before - 1;
  const hasNoGap = first - last === Math.max(0, items.length - 1);
  return isNewest && hasNoGap && (items.length === limit || last <= 1);
}
