import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBDocumentClient, paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { DailyUsage, LedgerRows, StatementStore } from '#domain/billing/statements.ts';
import { readable } from '../shared/readable.ts';
import { dayPrefix, LedgerItem, rowKey, seqOf } from './ledger-items.ts';

/** The stream brings rows within a second as a rule. */
const maxTries = 15;
const betweenTriesMs = 100;

const Day = v.object({
  date: v.string(),
  service: v.string(),
  model: v.string(),
  keyId: v.nullable(v.string()),
  calls: v.number(),
  cost: v.number(),
});

export function statementStore(client: DynamoDBDocumentClient, table: string): StatementStore {
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
    const { Items = [] } = await client.send(new QueryCommand(query));
    const shown = Items.slice(0, limit);
    const next = Items.length > limit ? seqOf(shown.at(-1)) : null;
    return { rows: readable(LedgerItem, shown), newest: seqOf(Items[0]), next };
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
    async usage(accountId, from, to) {
      const days: DailyUsage[] = [];
      const query = between(accountId, dayPrefix(from), `${dayPrefix(to)}~`);
      for await (const { Items = [] } of paginateQuery({ client }, query)) days.push(...readable(Day, Items));
      return days;
    },
  };
}
