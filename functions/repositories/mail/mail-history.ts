import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { MailHistory, MailNote } from '#domain/mail/mail-history.ts';
import { mailOutcomes } from '#domain/mail/outbox.ts';
import { mailKey, seconds, storedInstant, userKey } from '../accounts/account-items.ts';
import { readItems } from '../shared/read-items.ts';
import { readable } from '../shared/readable.ts';

const Note = v.object({ mail: v.string(), subject: v.string(), createdAt: storedInstant, ttl: v.number() });
const Row = v.object({
  pk: v.string(),
  outcome: v.exactOptional(v.picklist(mailOutcomes)),
  closedAt: v.exactOptional(storedInstant),
  ttl: v.number(),
});

export function mailHistory(client: DynamoDBDocumentClient, table: string): MailHistory {
  async function notes(accountId: number, limit: number) {
    const query = new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :notes)',
      ExpressionAttributeValues: { ':pk': userKey(accountId).pk, ':notes': 'mail#' },
      ScanIndexForward: false,
      Limit: limit,
      ConsistentRead: true,
    });
    return readable(Note, (await client.send(query)).Items ?? []);
  }

  return {
    async recent(accountId, limit, now) {
      const isKept = ({ ttl }: { readonly ttl: number }) => ttl > seconds(now);
      const kept = (await notes(accountId, limit)).filter(isKept);
      const keys = kept.map(({ mail }) => mailKey(mail));
      const rows = readable(Row, await readItems(client, table, keys, ['pk', 'outcome', 'closedAt', 'ttl']));
      const byKey = new Map(rows.filter(isKept).map((row) => [row.pk, row]));
      return kept.map(({ mail, subject, createdAt }): MailNote => {
        const row = byKey.get(mailKey(mail).pk);
        const state = row ? (row.outcome ?? 'waiting') : 'expired';
        return { subject, createdAt, state, ...(row?.closedAt !== undefined && { closedAt: row.closedAt }) };
      });
    },
  };
}
