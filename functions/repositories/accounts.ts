import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Account, OutgoingMail, StoredToken } from '#domain/accounts/account.ts';
import type { AccountStore, NewAccount } from '#domain/accounts/account-store.ts';
import { accountOf, claimKey, claimRow, mailRow, sessionKey, sessionRow, userKey, userRow } from './account-items.ts';
import { conditionally } from './conditional.ts';
import { newMeterRow } from './meter-item.ts';

/** `metersTable` is asked for only where an account is made. */
export function accountStore(client: DynamoDBDocumentClient, table: string, metersTable: () => string): AccountStore {
  const isNew = { ConditionExpression: 'attribute_not_exists(pk)' };

  async function create(fresh: NewAccount, now: number): Promise<boolean> {
    const { account, confirmation, session, mail, meter } = fresh;
    const put = (item: Record<string, unknown>) => ({ Put: { TableName: table, Item: item, ...isNew } });
    const meterItem = newMeterRow(meter.meter, meter.entries);
    const meterPut = { TableName: metersTable(), Item: meterItem, ConditionExpression: 'attribute_not_exists(a)' };
    return committed(
      client.send(
        new TransactWriteCommand({
          TransactItems: [
            put(claimRow(account)),
            put(userRow(account, confirmation)),
            put(sessionRow(account.id, session, now)),
            put(mailRow(mail, now)),
            { Put: meterPut },
          ],
        }),
      ),
    );
  }

  async function find(accountId: number): Promise<Account | undefined> {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: userKey(accountId), ConsistentRead: true }),
    );
    return Item && accountOf(Item);
  }

  async function findByEmail(email: string): Promise<Account | undefined> {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: claimKey(email), ConsistentRead: true }),
    );
    return Item && find(v.parse(v.object({ accountId: v.number() }), Item).accountId);
  }

  async function setPasswordHash(accountId: number, passwordHash: string): Promise<void> {
    await client.send(
      new UpdateCommand({
        TableName: table,
        Key: userKey(accountId),
        UpdateExpression: 'SET passwordHash = :hash',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':hash': passwordHash },
      }),
    );
  }

  async function confirm(accountId: number, digest: string, now: number): Promise<boolean> {
    const write = client.send(
      new UpdateCommand({
        TableName: table,
        Key: userKey(accountId),
        UpdateExpression: 'SET confirmedAt = if_not_exists(confirmedAt, :now)',
        ConditionExpression:
          'confirmation.digest = :digest AND (attribute_exists(confirmedAt) OR confirmation.expiresAt > :now)',
        ExpressionAttributeValues: { ':digest': digest, ':now': now },
      }),
    );
    return 'done' in (await conditionally(write));
  }

  async function renewConfirmation(accountId: number, confirmation: StoredToken, mail: OutgoingMail, now: number) {
    const renewal = {
      TableName: table,
      Key: userKey(accountId),
      UpdateExpression: 'SET confirmation = :confirmation',
      ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(confirmedAt)',
      ExpressionAttributeValues: { ':confirmation': confirmation },
    };
    const outgoing = { TableName: table, Item: mailRow(mail, now), ...isNew };
    return committed(
      client.send(new TransactWriteCommand({ TransactItems: [{ Update: renewal }, { Put: outgoing }] })),
    );
  }

  async function openSession(accountId: number, session: StoredToken, now: number): Promise<void> {
    await client.send(new PutCommand({ TableName: table, Item: sessionRow(accountId, session, now) }));
  }

  /** Session and user in one round trip. */
  async function findBySession(accountId: number, digest: string, now: number): Promise<Account | undefined> {
    const Keys = [sessionKey(accountId, digest), userKey(accountId)];
    const { Responses } = await client.send(
      new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }),
    );
    const items = Responses?.[table] ?? [];
    const session = items.find((item) => item['sk'] !== 'user');
    const user = items.find((item) => item['sk'] === 'user');
    const isLive = session !== undefined && v.parse(v.object({ expiresAt: v.number() }), session).expiresAt > now;
    return isLive && user ? accountOf(user) : undefined;
  }

  async function endSession(accountId: number, digest: string): Promise<void> {
    await client.send(new DeleteCommand({ TableName: table, Key: sessionKey(accountId, digest) }));
  }

  return {
    create,
    find,
    findByEmail,
    setPasswordHash,
    confirm,
    renewConfirmation,
    openSession,
    findBySession,
    endSession,
  };
}

/** False when a condition of the transaction failed; anything else that cancelled it is thrown. */
async function committed(transaction: Promise<unknown>): Promise<boolean> {
  try {
    await transaction;
    return true;
  } catch (error) {
    const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
    if (reasons.some((reason) => reason.Code === 'ConditionalCheckFailed')) return false;
    throw error;
  }
}
