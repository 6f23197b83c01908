import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBDocumentClient, paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { DailyUsage, StatementStore } from '#domain/billing/statements.ts';
import { readable } from '../shared/readable.ts';
import { dayPrefix, LedgerItem, rowKey, seqOf } from './ledger-items.ts';

/** The stream brings rows within a second as a rule; what is later is shown by the next request. */
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

  return {
    async page(accountId, limit, before) {
      const query = {
        ...between(accountId, rowKey(accountId, 0).sk, rowKey(accountId, Math.max(0, before - 1)).sk),
        ScanIndexForward: false,
        Limit: limit + 1,
      };
      for (let tries = 1; ; tries++) {
        const { Items = [] } = await client.send(new QueryCommand(query));
        const shown = Items.slice(0, limit);
        if (seqOf(Items[0]) >= before - 1 || tries === maxTries)
          return { rows: readable(LedgerItem, shown), next: Items.length > limit ? seqOf(shown.at(-1)) : null };
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
