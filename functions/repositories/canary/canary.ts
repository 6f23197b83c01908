import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { CanaryStore } from '#domain/canary/canary.ts';
import { mailOutcomes } from '#domain/mail/mail.ts';
import { mailItems, mailKey, purgeKey, uniqueRow, userKey } from '../accounts/account-items.ts';
import { readItem } from '../shared/read-items.ts';
import { commit, putNew } from '../shared/transaction.ts';

const Closed = v.object({ outcome: v.optional(v.picklist(mailOutcomes)) });

/** Writes only if the account has the canary's address and is unconfirmed, so that it cannot change another account. */
export function canaryStore(client: DynamoDBDocumentClient, table: string): CanaryStore {
  return {
    prepare(accountId, email, { token, mail, purgeAt }, now) {
      const renewal = {
        TableName: table,
        Key: userKey(accountId),
        UpdateExpression: 'SET confirmation = :confirmation',
        ConditionExpression: 'email = :email AND attribute_not_exists(confirmedAt)',
        ExpressionAttributeValues: { ':confirmation': token, ':email': email },
      };
      const note = { ...uniqueRow(purgeKey(accountId, purgeAt), accountId), purgeAt };
      return commit(client, [{ Update: renewal }, ...mailItems(table, accountId, mail, now), putNew(table, note)]);
    },
    async mailOutcome(id) {
      const row = await readItem(client, table, mailKey(id));
      return row && v.parse(Closed, row).outcome;
    },
  };
}
