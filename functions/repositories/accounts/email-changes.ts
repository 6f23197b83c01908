import { type DynamoDBDocumentClient, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Account, EmailChange, EmailChangeOutcome } from '#domain/accounts/account.ts';
import type { EmailChangeStore } from '#domain/accounts/email-change.ts';
import { conditionally } from '../shared/conditional.ts';
import {
  cancellationReasons,
  commit,
  conditionFailed,
  failedConditions,
  putNew,
  type TransactItem,
} from '../shared/transaction.ts';
import {
  accountOf,
  type Condition,
  formerEmailKey,
  unchangedSinceRead,
  mailItems,
  uniqueEmailKey,
  uniqueRow,
  userKey,
} from './account-items.ts';
import { freeMonthsFrom } from './accounts.ts';

/** Requires that the account and its pending email change are unchanged since the read. */
function pendingChange(account: Account): Condition {
  const { expression, values } = unchangedSinceRead(account);
  return {
    expression: `${expression} AND emailChange.oldDigest = :digest AND attribute_not_exists(emailChange.outcome)`,
    values: { ...values, ':digest': account.emailChange?.oldDigest ?? '' },
  };
}

const confirmedAt = { old: 'oldConfirmedAt', new: 'newConfirmedAt' } as const;

export function emailChangeStore(client: DynamoDBDocumentClient, table: string): EmailChangeStore {
  const ofUser = ({ id }: Account) => ({ TableName: table, Key: userKey(id) });

  const request: EmailChangeStore['request'] = async (account, change, mails) => {
    const { expression, values } = unchangedSinceRead(account);
    const Update = {
      ...ofUser(account),
      UpdateExpression: 'SET emailChange = :change',
      ConditionExpression: expression,
      ExpressionAttributeValues: { ...values, ':change': change },
    };
    const notices = mails.flatMap((mail) => mailItems(table, account.id, mail, change.requestedAt));
    return commit(client, [{ Update }, ...notices]);
  };

  const confirm: EmailChangeStore['confirm'] = async (account, side, now) => {
    const { expression, values } = pendingChange(account);
    const path = `emailChange.${confirmedAt[side]}`;
    const write = new UpdateCommand({
      ...ofUser(account),
      UpdateExpression: `SET ${path} = if_not_exists(${path}, :now)`,
      ConditionExpression: `${expression} AND emailChange.expiresAt > :now`,
      ExpressionAttributeValues: { ...values, ':now': now },
      ReturnValues: 'ALL_NEW',
    });
    const result = await conditionally(client.send(write));
    return 'done' in result ? accountOf(result.done.Attributes) : undefined;
  };

  async function end(account: Account, outcome: EmailChangeOutcome): Promise<boolean> {
    const { expression, values } = pendingChange(account);
    const write = new UpdateCommand({
      ...ofUser(account),
      UpdateExpression: 'SET emailChange.outcome = :outcome',
      ConditionExpression: expression,
      ExpressionAttributeValues: { ...values, ':outcome': outcome },
    });
    return 'done' in (await conditionally(client.send(write)));
  }

  const complete: EmailChangeStore['complete'] = async (account, { notices, freeFrom }, now) => {
    const change = account.emailChange;
    if (!change) return 'not pending';
    const taking = putNew(table, uniqueRow(uniqueEmailKey(change.email), account.id));
    const items = [
      taking,
      userUpdate(account, change, now),
      freeing(account),
      putNew(table, {
        ...formerEmailKey(account.id, now),
        email: account.email,
        changedTo: change.email,
        changedAt: now,
      }),
      ...notices.flatMap((notice) => mailItems(table, account.id, notice, now)),
      ...(freeFrom === undefined ? [] : freeMonthsFrom(table, { email: account.email }, freeFrom)),
    ];
    try {
      await client.send(new TransactWriteCommand({ TransactItems: items }));
      return 'changed';
    } catch (error) {
      if (failedConditions(error).length === 0) throw error;
      const [taken, ...others] = cancellationReasons(error).map(({ Code }) => Code === conditionFailed);
      return taken && !others.some(Boolean) ? 'address in use' : 'not pending';
    }
  };

  function userUpdate(account: Account, change: EmailChange, now: number): TransactItem {
    const { expression, values } = pendingChange(account);
    const both = 'attribute_exists(emailChange.oldConfirmedAt) AND attribute_exists(emailChange.newConfirmedAt)';
    return {
      Update: {
        ...ofUser(account),
        UpdateExpression:
          'SET email = :new, sessionsValidFrom = :now, emailChange.outcome = :changed REMOVE resets, confirmation',
        ConditionExpression: `${expression} AND ${both} AND emailChange.expiresAt > :now`,
        ExpressionAttributeValues: { ...values, ':new': change.email, ':now': now, ':changed': 'changed' },
      },
    };
  }

  function freeing({ id, email }: Account): TransactItem {
    return {
      Delete: {
        TableName: table,
        Key: uniqueEmailKey(email),
        ConditionExpression: 'accountId = :id',
        ExpressionAttributeValues: { ':id': id },
      },
    };
  }

  return { request, confirm, end, complete };
}
