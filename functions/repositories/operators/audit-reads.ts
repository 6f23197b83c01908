import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { AuditAction, AuditedState } from '#contract/operators/audit.ts';
import type { AuditReads } from '#domain/operators/audit-trail.ts';
import type { AuditEvent } from '#domain/shared/audit-event.ts';
import { storedInstant } from '../accounts/account-items.ts';
import { readable } from '../shared/readable.ts';
import { auditPartition } from './audited.ts';

const Row = v.pipe(
  v.object({
    accountId: v.number(),
    action: AuditAction,
    by: v.exactOptional(v.number()),
    reason: v.string(),
    at: storedInstant,
    requestId: v.string(),
    before: AuditedState,
    after: AuditedState,
  }),
  v.transform((row): AuditEvent => row),
);
const SortKey = v.object({ sk: v.string() });

export function auditReads(client: DynamoDBDocumentClient, table: string): AuditReads {
  return {
    async page(accountId, limit, cursor) {
      const query = new QueryCommand({
        TableName: table,
        KeyConditionExpression: cursor === undefined ? 'pk = :pk' : 'pk = :pk AND sk < :cursor',
        ExpressionAttributeValues: {
          ':pk': auditPartition(accountId),
          ...(cursor !== undefined && { ':cursor': cursor }),
        },
        ScanIndexForward: false,
        Limit: limit + 1,
        ConsistentRead: true,
      });
      const { Items = [] } = await client.send(query);
      const shown = Items.slice(0, limit);
      const next = Items.length > limit ? v.parse(SortKey, shown.at(-1)).sk : null;
      return { events: readable(Row, shown), next };
    },
  };
}
