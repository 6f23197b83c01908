import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { dayMs } from '#contract/shared/time.ts';
import type { IssuedReset, PasswordStore, ResetAccount, ResetRequest } from '#domain/accounts/passwords.ts';
import type { OutgoingMail } from '#domain/shared/ports.ts';
import { conditionally } from '../shared/conditional.ts';
import { readItem } from '../shared/read-items.ts';
import { commit, type TransactItem } from '../shared/transaction.ts';
import { unchangedSinceRead, mailItems, resetRequestKey, seconds, userKey } from './account-items.ts';

const requestLifetimeMs = dayMs;

const Request = v.object({
  resetRequest: v.optional(v.string()),
  email: v.string(),
  isFurther: v.optional(v.boolean(), false),
  requestedAt: v.optional(v.number(), 0),
});

const Resettable = v.object({ resets: v.optional(v.record(v.string(), v.number()), {}) });

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

  /** `resetRequest` is matched by the stream filter of the job that sends the link. */
  async function requestReset(requestId: string, request: ResetRequest): Promise<void> {
    const Item = {
      ...resetRequestKey(requestId),
      resetRequest: requestId,
      ...request,
      ttl: seconds(request.requestedAt + requestLifetimeMs),
    };
    await client.send(new PutCommand({ TableName: table, Item }));
  }

  async function findRequest(requestId: string): Promise<ResetRequest | undefined> {
    const row = await readItem(client, table, resetRequestKey(requestId));
    if (row?.['resetRequest'] === undefined) return undefined;
    const { email, isFurther, requestedAt } = v.parse(Request, row);
    return { email, isFurther, requestedAt };
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
    const issuing = reset ? [await tokensWith(reset, now), ...mailItems(table, reset.account.id, reset.mail, now)] : [];
    return commit(client, [closing, ...issuing]);
  };

  /** Conditional on the tokens and the account that were read, so that concurrent changes are not overwritten. */
  async function tokensWith({ account, token, isFurther }: IssuedReset, now: number): Promise<TransactItem> {
    const before = await tokensOf(account.id);
    const { expression, values } = unchangedSinceRead(account);
    const living = Object.entries(before).filter(([, expiresAt]) => isFurther && expiresAt > now);
    const after = { ...Object.fromEntries(living), [token.digest]: token.expiresAt };
    const isFirst = Object.keys(before).length === 0;
    return {
      Update: {
        ...ofUser(account.id),
        UpdateExpression: 'SET resets = :after',
        ConditionExpression: `${expression} AND ${isFirst ? 'attribute_not_exists(resets)' : 'resets = :before'}`,
        ExpressionAttributeValues: { ...values, ':after': after, ...(!isFirst && { ':before': before }) },
      },
    };
  }

  async function tokensOf(accountId: number): Promise<Record<string, number>> {
    const row = await readItem(client, table, userKey(accountId));
    return row ? v.parse(Resettable, row).resets : {};
  }

  async function isResetToken(accountId: number, digest: string, now: number): Promise<boolean> {
    const expiresAt = (await tokensOf(accountId))[digest];
    return expiresAt !== undefined && expiresAt > now;
  }

  async function reset(accountId: number, digest: string, to: ResetAccount, notice: OutgoingMail, now: number) {
    const named = to.name !== undefined;
    const Update = {
      ...ofUser(accountId),
      UpdateExpression: `SET passwordHash = :hash, sessionsValidFrom = :now, confirmedAt = if_not_exists(confirmedAt, :now)${named ? ', #name = :name' : ''} REMOVE resets`,
      ConditionExpression: 'resets.#digest > :now',
      ExpressionAttributeNames: { '#digest': digest, ...(named && { '#name': 'name' }) },
      ExpressionAttributeValues: { ':hash': to.passwordHash, ':now': now, ...(named && { ':name': to.name }) },
    };
    return commit(client, [{ Update }, ...mailItems(table, accountId, notice, now)]);
  }

  const change: PasswordStore['change'] = async (account, passwordHash, notice, now) => {
    const { passwordHash: before } = account;
    const isUnchanged = before === undefined ? 'attribute_not_exists(passwordHash)' : 'passwordHash = :before';
    const { expression, values } = unchangedSinceRead(account);
    const Update = {
      ...ofUser(account.id),
      UpdateExpression: 'SET passwordHash = :hash, sessionsValidFrom = :now REMOVE resets',
      ConditionExpression: `attribute_exists(pk) AND ${isUnchanged} AND ${expression}`,
      ExpressionAttributeValues: {
        ...values,
        ':hash': passwordHash,
        ':now': now,
        ...(before !== undefined && { ':before': before }),
      },
    };
    return commit(client, [{ Update }, ...mailItems(table, account.id, notice, now)]);
  };

  return { rehash, requestReset, findRequest, closeRequest, isResetToken, reset, change };
}
