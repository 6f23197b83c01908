import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBDocumentClient, paginateQuery, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { AuditReads } from '#domain/billing/auditor.ts';
import type { LedgerRow } from '#domain/billing/ledger.ts';
import { balance } from '#domain/meter/meter.ts';
import { meterOf } from '../meter/meter-item.ts';
import { ledgerRowOf, rowKey } from './ledger-items.ts';

/** The stream brings rows within a second as a rule; one that has not come by then counts as missing. */
const maxTries = 20;
const betweenTriesMs = 100;

export function auditReads(client: DynamoDBDocumentClient, metersTable: string, ledgerTable: string): AuditReads {
  async function readRows(accountId: number, seq: number): Promise<LedgerRow[]> {
    const rows: LedgerRow[] = [];
    const query = {
      TableName: ledgerTable,
      KeyConditionExpression: 'a = :account AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':account': accountId,
        ':from': rowKey(accountId, 0).sk,
        ':to': rowKey(accountId, seq).sk,
      },
      ConsistentRead: true,
    };
    for await (const { Items = [] } of paginateQuery({ client }, query)) rows.push(...Items.map(ledgerRowOf));
    return rows;
  }

  return {
    async *meters() {
      const scan = { TableName: metersTable, ConsistentRead: true };
      for await (const { Items = [] } of paginateScan({ client }, scan)) {
        for (const meter of Items.map(meterOf)) {
          yield { accountId: meter.accountId, seq: meter.seq, balance: balance(meter) };
        }
      }
    },
    async rows(accountId, seq) {
      for (let tries = 1; ; tries++) {
        const rows = await readRows(accountId, seq);
        if (rows.length >= seq || tries === maxTries) return rows;
        await sleep(betweenTriesMs);
      }
    },
    async *allRows() {
      const scan = {
        TableName: ledgerTable,
        FilterExpression: 'begins_with(sk, :row)',
        ExpressionAttributeValues: { ':row': 'row#' },
        ConsistentRead: true,
      };
      for await (const { Items = [] } of paginateScan({ client }, scan)) yield* Items.map(ledgerRowOf);
    },
  };
}
