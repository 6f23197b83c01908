import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Account, AccountStore, NewAccount, OutgoingMail, StoredToken } from '#domain/accounts/account.ts';
import { newMeterRow } from '../meter/meter-item.ts';
import { conditionally } from '../shared/conditional.ts';
import { readItem } from '../shared/read-item.ts';
import { commit, putNew } from '../shared/transaction.ts';
import {
  accountOf,
  identityKey,
  mailItems,
  ownerOf,
  uniqueEmailKey,
  uniqueRow,
  userKey,
  userRow,
} from './account-items.ts';
import { freeFrom, freeMonthsBegun } from './free-months.ts';
import { consumption } from './identities.ts';

const noAccount = 0;

/** `metersTable` is read only when an account is created. */
export function accountStore(client: DynamoDBDocumentClient, table: string, metersTable: () => string): AccountStore {
  async function create({ account, meter, confirmation, proof }: NewAccount, now: number): Promise<boolean> {
    const Item = newMeterRow(meter.meter, meter.entries);
    const identities = account.identities ?? [];
    return commit(client, [
      putNew(table, uniqueRow(uniqueEmailKey(account.email), account.id)),
      putNew(table, userRow(account, confirmation?.token)),
      ...freeMonthsBegun(table, account, meter.meter.freeAnchor),
      { Put: { TableName: metersTable(), Item, ConditionExpression: 'attribute_not_exists(a)' } },
      ...(confirmation ? mailItems(table, account.id, confirmation.mail, now) : []),
      ...identities.map((identity) => putNew(table, uniqueRow(identityKey(identity), account.id))),
      ...(proof ? [consumption(table, proof)] : []),
    ]);
  }

  async function find(accountId: number): Promise<Account | undefined> {
    const row = await readItem(client, table, userKey(accountId));
    return row && accountOf(row);
  }

  async function findByEmail(email: string): Promise<Account | undefined> {
    const item = await readItem(client, table, uniqueEmailKey(email));
    return find(item ? ownerOf(item) : noAccount);
  }

  async function rename(accountId: number, name: string): Promise<void> {
    await client.send(
      new UpdateCommand({
        TableName: table,
        Key: userKey(accountId),
        UpdateExpression: 'SET #name = :name',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#name': 'name' },
        ExpressionAttributeValues: { ':name': name },
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

  async function renewConfirmation(accountId: number, token: StoredToken, mail: OutgoingMail, now: number) {
    const renewal = {
      TableName: table,
      Key: userKey(accountId),
      UpdateExpression: 'SET confirmation = :confirmation',
      ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(confirmedAt)',
      ExpressionAttributeValues: { ':confirmation': token },
    };
    return commit(client, [{ Update: renewal }, ...mailItems(table, accountId, mail, now)]);
  }

  return {
    freeFrom: (account: Account) => freeFrom(client, table, account),
    create,
    find,
    findByEmail,
    rename,
    confirm,
    renewConfirmation,
  };
}
