import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBDocumentClient, paginateQuery, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { AuditReads } from '#domain/billing/auditor.ts';
import { balance } from '#domain/meter/meter.ts';
import { meterOf } from '../meter/meter-item.ts';
import { accountsOnly } from '../meter/stream-progress.ts';
import type { ArchivedLedger } from './archive.ts';
import { amountsOf, rowKey } from './ledger-items.ts';

/** Milliseconds. The stream usually delivers rows within 1 s. */
const pauseMs = 200;

/** Limits memory with several pages loaded: an unlimited page has 1 MB, and ten times that once parsed. */
const metersPerPage = 100;
const rowsPerPage = 500;

export function auditReads(
  client: DynamoDBDocumentClient,
  metersTable: string,
  ledgerTable: string,
  archived: ArchivedLedger,
): AuditReads {
  return {
    async *meters() {
      const scan = { TableName: metersTable, ...accountsOnly, ConsistentRead: true, Limit: metersPerPage };
      for await (const { Items = [] } of paginateScan({ client }, scan)) {
        for (const meter of Items.map(meterOf)) {
          yield { accountId: meter.accountId, seq: meter.seq, balance: balance(meter) };
        }
      }
    },
    async *rows(accountId, from, to) {
      if (from > to) return;
      const through = await archived.through(accountId);
      for await (const items of archived.between(accountId, from, Math.min(to, through))) yield* items.map(amountsOf);
      if (through >= to) return;
      const query = {
        TableName: ledgerTable,
        KeyConditionExpression: 'a = :account AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':account': accountId,
          ':from': rowKey(accountId, Math.max(from, through + 1)).sk,
          ':to': rowKey(accountId, to).sk,
        },
        ProjectionExpression: '#seq, #amount, #balance',
        ExpressionAttributeNames: { '#seq': 'seq', '#amount': 'amount', '#balance': 'balance' },
        ConsistentRead: true,
        Limit: rowsPerPage,
      };
      for await (const { Items = [] } of paginateQuery({ client }, query)) yield* Items.map(amountsOf);
    },
    pause: () => sleep(pauseMs),
  };
}
