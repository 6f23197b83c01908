import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { OutgoingMail } from '#domain/accounts/account.ts';
import type { PasswordStore } from '#domain/accounts/password-store.ts';
import { mailRow, resetRequestKey, seconds, userKey } from './account-items.ts';
import { conditionally } from './conditional.ts';
import { readItem } from './read-item.ts';
import { commit, putNew, type TransactItem } from './transaction.ts';

const requestLifetimeMs = 86_400_000;

const Request = v.object({ resetRequest: v.optional(v.string()), email: v.string() });
const Resettable = v.object({ reset: v.optional(v.object({ digest: v.string(), expiresAt: v.number() })) });

export function passwordStore(client: DynamoDBDocumentClient, table: string): PasswordStore {
  const ofUser = (accountId: number) => ({ TableName: table, Key: userKey(accountId) });

  async function rehash(accountId: number, before: string, passwordHash: string): Promise<void> {
    const write = new UpdateCommand({
      ...ofUser(accountId),
      UpdateExpression: 'SET passwordHash = :hash',
      ConditionExpression: 'passwordHash = :before',
      ExpressionAttributeValues: { ':hash': passwordHash, ':before': before },
    });
    await conditionally(client.send(write));
  }

  /** The stream filter of the job that sends the link looks for `resetRequest`. */
  async function requestReset(requestId: string, email: string, now: number): Promise<void> {
    const Item = {
      ...resetRequestKey(requestId),
      resetRequest: requestId,
      email,
      ttl: seconds(now + requestLifetimeMs),
    };
    await client.send(new PutCommand({ TableName: table, Item }));
  }

  async function findRequest(requestId: string): Promise<string | undefined> {
    const row = await readItem(client, table, resetRequestKey(requestId));
    const { resetRequest, email } = row ? v.parse(Request, row) : {};
    return resetRequest === undefined ? undefined : email;
  }

  const closeRequest: PasswordStore['closeRequest'] = async (requestId, reset, now) => {
    const closing: TransactItem = {
      Update: {
        TableName: table,
        Key: resetRequestKey(requestId),
        UpdateExpression: 'REMOVE resetRequest',
        ConditionExpression: 'attribute_exists(resetRequest)',
      },
    };
    const issuing = reset ? [setToken(reset.accountId, reset.token), putNew(table, mailRow(reset.mail, now))] : [];
    await commit(client, [closing, ...issuing]);
  };

  function setToken(accountId: number, token: { digest: string; expiresAt: number }): TransactItem {
    return {
      Update: {
        ...ofUser(accountId),
        UpdateExpression: 'SET #reset = :token',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#reset': 'reset' },
        ExpressionAttributeValues: { ':token': token },
      },
    };
  }

  async function isResetToken(accountId: number, digest: string, now: number): Promise<boolean> {
    const row = await readItem(client, table, userKey(accountId));
    const { reset } = row ? v.parse(Resettable, row) : {};
    return reset?.digest === digest && reset.expiresAt > now;
  }

  /** A link that came by mail also proves the address. */
  async function reset(accountId: number, digest: string, passwordHash: string, notice: OutgoingMail, now: number) {
    const Update = {
      ...ofUser(accountId),
      UpdateExpression:
        'SET passwordHash = :hash, sessionsValidFrom = :now, confirmedAt = if_not_exists(confirmedAt, :now) REMOVE #reset',
      ConditionExpression: '#reset.digest = :digest AND #reset.expiresAt > :now',
      ExpressionAttributeNames: { '#reset': 'reset' },
      ExpressionAttributeValues: { ':hash': passwordHash, ':now': now, ':digest': digest },
    };
    return commit(client, [{ Update }, putNew(table, mailRow(notice, now))]);
  }

  const change: PasswordStore['change'] = async (accountId, before, passwordHash, notice, now) => {
    const isUnchanged = before === undefined ? 'attribute_not_exists(passwordHash)' : 'passwordHash = :before';
    const Update = {
      ...ofUser(accountId),
      UpdateExpression: 'SET passwordHash = :hash, sessionsValidFrom = :now',
      ConditionExpression: `attribute_exists(pk) AND ${isUnchanged}`,
      ExpressionAttributeValues: {
        ':hash': passwordHash,
        ':now': now,
        ...(before !== undefined && { ':before': before }),
      },
    };
    return commit(client, [{ Update }, putNew(table, mailRow(notice, now))]);
  };

  return { rehash, requestReset, findRequest, closeRequest, isResetToken, reset, change };
}
