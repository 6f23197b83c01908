import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Account } from '#domain/accounts/account.ts';
import type { SecondFactorStore } from '#domain/accounts/second-factor.ts';
import { conditionally } from '../shared/conditional.ts';
import { readItem } from '../shared/read-items.ts';
import { commit, type TransactItem } from '../shared/transaction.ts';
import {
  mailItems,
  pendingSignInKey,
  seconds,
  storedInstant,
  totpKey,
  unchangedSinceRead,
  userKey,
} from './account-items.ts';
import { digestRows } from './sessions.ts';

const PendingRow = v.object({ digest: v.string(), expiresAt: storedInstant, sessionsValidFrom: v.number() });

const bytes = v.pipe(v.instance(Uint8Array));
/** `recovery` has a key for each unused recovery code, and `step` is the last accepted one. Both exist once confirmed. */
const AppRow = v.object({
  secret: bytes,
  confirmedAt: v.exactOptional(v.number()),
  expiresAt: v.exactOptional(v.number()),
});

/**
 * Ends sessions, devices and reset links of an account that has not changed since it was read. `set` and `remove` name
 * further attributes of the user's item.
 */
export function credentialChange(
  table: string,
  account: Account,
  now: number,
  {
    set = '',
    remove = '',
    condition = '',
    values = {},
  }: Partial<Record<'set' | 'remove' | 'condition', string>> & {
    readonly values?: Readonly<Record<string, unknown>>;
  },
): TransactItem {
  const unchanged = unchangedSinceRead(account);
  return {
    Update: {
      TableName: table,
      Key: userKey(account.id),
      UpdateExpression: `SET sessionsValidFrom = :now${set} REMOVE resets${remove}`,
      ConditionExpression: `${unchanged.expression}${condition}`,
      ExpressionAttributeValues: { ...unchanged.values, ':now': now, ...values },
    },
  };
}

export function secondFactorStore(client: DynamoDBDocumentClient, table: string): SecondFactorStore {
  const ofApp = (accountId: number) => ({ TableName: table, Key: totpKey(accountId) });

  async function take(accountId: number, digest: string): Promise<boolean> {
    const write = new DeleteCommand({
      TableName: table,
      Key: pendingSignInKey(accountId, digest),
      ConditionExpression: 'attribute_exists(pk)',
    });
    return 'done' in (await conditionally(client.send(write)));
  }

  const find: SecondFactorStore['find'] = async (accountId) => {
    const row = await readItem(client, table, totpKey(accountId));
    return row && v.parse(AppRow, row);
  };

  const setUp: SecondFactorStore['setUp'] = async (accountId, secret, expiresAt) => {
    const write = new PutCommand({
      TableName: table,
      Item: { ...totpKey(accountId), secret, expiresAt, ttl: seconds(expiresAt) },
      ConditionExpression: 'attribute_not_exists(confirmedAt)',
    });
    return 'done' in (await conditionally(client.send(write)));
  };

  const enable: SecondFactorStore['enable'] = (account, { secret, step, recovery }, notice, now) =>
    commit(client, [
      credentialChange(table, account, now, {
        set: ', secondFactorAt = :now',
        condition: ' AND attribute_not_exists(secondFactorAt)',
      }),
      {
        Update: {
          ...ofApp(account.id),
          UpdateExpression: 'SET confirmedAt = :now, #step = :step, recovery = :recovery REMOVE expiresAt, #ttl',
          ConditionExpression: 'secret = :secret AND attribute_not_exists(confirmedAt)',
          ExpressionAttributeNames: { '#step': 'step', '#ttl': 'ttl' },
          ExpressionAttributeValues: {
            ':now': now,
            ':step': step,
            ':recovery': Object.fromEntries(recovery.map((digest) => [digest, true])),
            ':secret': secret,
          },
        },
      },
      ...mailItems(table, account.id, notice, now),
    ]);

  const disable: SecondFactorStore['disable'] = (account, notice, now) =>
    commit(client, [
      credentialChange(table, account, now, {
        remove: ', secondFactorAt',
        condition: ' AND attribute_exists(secondFactorAt)',
      }),
      { Delete: ofApp(account.id) },
      ...mailItems(table, account.id, notice, now),
    ]);

  const acceptStep: SecondFactorStore['acceptStep'] = async (accountId, secret, step) => {
    const write = new UpdateCommand({
      ...ofApp(accountId),
      UpdateExpression: 'SET #step = :step',
      ConditionExpression: 'secret = :secret AND attribute_exists(confirmedAt) AND #step < :step',
      ExpressionAttributeNames: { '#step': 'step' },
      ExpressionAttributeValues: { ':secret': secret, ':step': step },
    });
    return 'done' in (await conditionally(client.send(write)));
  };

  const useRecoveryCode: SecondFactorStore['useRecoveryCode'] = (accountId, digest, notice, now) => {
    const Update = {
      ...ofApp(accountId),
      UpdateExpression: 'REMOVE recovery.#digest',
      ConditionExpression: 'attribute_exists(recovery.#digest)',
      ExpressionAttributeNames: { '#digest': digest },
    };
    return commit(client, [{ Update }, ...mailItems(table, accountId, notice, now)]);
  };

  return {
    pending: { ...digestRows(client, table, pendingSignInKey, PendingRow), take },
    find,
    setUp,
    enable,
    disable,
    acceptStep,
    useRecoveryCode,
  };
}
