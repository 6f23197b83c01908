import { type DynamoDBDocumentClient, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import {
  feedbackStates,
  type MailHistory,
  type MailNote,
  type MailOutcome,
  mailOutcomes,
  type NoteFeedback,
  type OutboxStore,
  type SuppressionStore,
} from '#domain/mail/mail.ts';
import type { Clock, OutgoingMail } from '#domain/shared/ports.ts';
import {
  mailItems,
  mailKey,
  mailNotePrefix,
  mailOf,
  mailRetentionSeconds,
  seconds,
  storedInstant,
  suppressionKeys,
  userKey,
} from '../accounts/account-items.ts';
import { conditionally } from '../shared/conditional.ts';
import { deleteKeys } from '../shared/deletion.ts';
import { readItem, readItems, readable } from '../shared/read-items.ts';
import { commit } from '../shared/transaction.ts';

export function outboxStore(client: DynamoDBDocumentClient, table: string): OutboxStore {
  async function waiting(id: string) {
    const row = await readItem(client, table, mailKey(id));
    return row?.['outbox'] === undefined ? undefined : mailOf(row);
  }

  /** Deletes the body, because its links are secrets. The outcome stays listed until it expires. */
  async function close(id: string, outcome: MailOutcome, at: number, subject?: string): Promise<void> {
    await client.send(
      new UpdateCommand({
        TableName: table,
        Key: mailKey(id),
        UpdateExpression: `SET ${subject === undefined ? '' : 'subject = :subject, '}outcome = :outcome, closedAt = :at, #ttl = :ttl REMOVE outbox, #text, html, letter`,
        ExpressionAttributeNames: { '#text': 'text', '#ttl': 'ttl' },
        ExpressionAttributeValues: {
          ':outcome': outcome,
          ':at': at,
          ':ttl': seconds(at) + mailRetentionSeconds,
          ...(subject !== undefined && { ':subject': subject }),
        },
      }),
    );
  }

  return { waiting, close };
}

/** The first report counts. Has no effect on an email whose row has expired. */
export const noteFeedback =
  (client: DynamoDBDocumentClient, table: string): NoteFeedback =>
  async (mailId, reason, at) => {
    const write = new UpdateCommand({
      TableName: table,
      Key: mailKey(mailId),
      UpdateExpression: 'SET feedback = :reason, feedbackAt = :at',
      ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(feedback)',
      ExpressionAttributeValues: { ':reason': reason, ':at': at },
    });
    await conditionally(client.send(write));
  };

const reasons = v.picklist(['bounce', 'complaint']);
const SuppressionRow = v.object({ reason: reasons, suppressedAt: storedInstant });

/** One item per address, without expiry. */
export function suppressionStore(client: DynamoDBDocumentClient, table: string): SuppressionStore {
  const find: SuppressionStore['find'] = async (address) => {
    const [item] = await readItems(client, table, suppressionKeys(address));
    if (!item) return undefined;
    const { reason, suppressedAt } = v.parse(SuppressionRow, item);
    return { reason, at: suppressedAt };
  };

  return {
    async add(address, reason, at) {
      const write = new PutCommand({
        TableName: table,
        Item: { ...suppressionKeys(address)[0], reason, suppressedAt: at },
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      return 'done' in (await conditionally(client.send(write)));
    },
    has: async (address) => (await find(address)) !== undefined,
    find,
    async lift(address) {
      const isSuppressed = (await find(address)) !== undefined;
      await deleteKeys(client, table, suppressionKeys(address));
      return isSuppressed;
    },
  };
}

const Note = v.object({ mail: v.string(), subject: v.string(), createdAt: storedInstant, ttl: v.number() });
const HistoryRow = v.object({
  pk: v.string(),
  outcome: v.exactOptional(v.picklist(mailOutcomes)),
  closedAt: v.exactOptional(storedInstant),
  feedback: v.exactOptional(reasons),
  feedbackAt: v.exactOptional(storedInstant),
  ttl: v.number(),
});

const fields = ['pk', 'outcome', 'closedAt', 'feedback', 'feedbackAt', 'ttl'] as const;

export function mailHistory(client: DynamoDBDocumentClient, table: string): MailHistory {
  async function notes(accountId: number, limit: number) {
    const query = new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :notes)',
      ExpressionAttributeValues: { ':pk': userKey(accountId).pk, ':notes': mailNotePrefix },
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
      const rows = readable(HistoryRow, await readItems(client, table, keys, fields));
      const byKey = new Map(rows.filter(isKept).map((row) => [row.pk, row]));
      return kept.map(({ mail, subject, createdAt }): MailNote => {
        const row = byKey.get(mailKey(mail).pk);
        const outcome = row?.feedback ? feedbackStates[row.feedback] : row?.outcome;
        const state = row ? (outcome ?? 'waiting') : 'expired';
        const closedAt = row?.feedbackAt ?? row?.closedAt;
        return { subject, createdAt, state, ...(closedAt !== undefined && { closedAt }) };
      });
    },
  };
}

/** Queues an email. Has no effect if one with its id exists. */
export function mailWriter(client: DynamoDBDocumentClient, table: string, clock: Clock) {
  return async (accountId: number, mail: OutgoingMail): Promise<void> => {
    await commit(client, mailItems(table, accountId, mail, clock.now()));
  };
}
