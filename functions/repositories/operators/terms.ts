import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { TermsStore } from '#domain/accounts/terms.ts';
import { userKey } from '../accounts/account-items.ts';
import { type AuditTables, commitAudited } from './operators.ts';

export function termsStore(client: DynamoDBDocumentClient, tables: AuditTables): TermsStore {
  return {
    accept(terms, event) {
      const Update = {
        TableName: tables.accounts,
        Key: userKey(event.accountId),
        UpdateExpression: 'SET terms = :terms',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(deletedAt)',
        ExpressionAttributeValues: { ':terms': terms },
      };
      return commitAudited(client, tables, event, [{ Update }]);
    },
  };
}
