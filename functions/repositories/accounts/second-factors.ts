import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Account } from '#domain/accounts/account.ts';
import type { Passkey, PasskeyStore } from '#domain/accounts/passkeys.ts';
import type { SecondFactorStore } from '#domain/accounts/second-factor.ts';
import { conditionally } from '../shared/conditional.ts';
import { readItem, readPrefix, readable } from '../shared/read-items.ts';
import { commit, type TransactItem, failedItems, putNew } from '../shared/transaction.ts';
import {
  mailItems,
  pendingSignInKey,
  seconds,
  storedInstant,
  totpKey,
  unchangedSinceRead,
  userKey,
  passkeyChallengeKey,
  passkeyKey,
} from './account-items.ts';
import { digestRows } from './sessions.ts';

const PendingRow = v.object({ digest: v.string(), expiresAt: storedInstant, sessionsValidFrom: v.number() });

const AppRow = v.object({
  secret: v.instance(Uint8Array),
  confirmedAt: v.exactOptional(v.number()),
  expiresAt: v.exactOptional(v.number()),
});

/**
 * Ends sessions, devices and reset links of an account that has not changed since it was read. `set` and `remove` name
 * further attributes of the user's item.
 */
function credentialChange(
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

  /** `recovery` has a key for each unused recovery code, and `step` is the last accepted time step. */
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

const PasskeyRow = v.object({
  digest: v.string(),
  name: v.string(),
  credentialId: v.string(),
  publicKey: v.instance(Uint8Array),
  signCount: v.number(),
  transports: v.array(v.string()),
  createdAt: storedInstant,
  lastUsedAt: v.exactOptional(storedInstant),
});

const ChallengeRow = v.object({
  expiresAt: v.number(),
  accountId: v.exactOptional(v.number()),
  sessionsValidFrom: v.exactOptional(v.number()),
});

const { sk: prefix } = passkeyKey(0, '');

export function passkeyStore(client: DynamoDBDocumentClient, table: string): PasskeyStore {
  const passkeysOf = (items: readonly Record<string, unknown>[]): Passkey[] =>
    readable(
      PasskeyRow,
      items.map((item) => ({ ...item, digest: String(item['sk']).slice(prefix.length) })),
    );

  const openChallenge: PasskeyStore['openChallenge'] = async ({ digest, ...challenge }) => {
    const Item = { ...passkeyChallengeKey(digest), ...challenge, ttl: seconds(challenge.expiresAt) };
    await client.send(new PutCommand({ TableName: table, Item }));
  };

  const takeChallenge: PasskeyStore['takeChallenge'] = async (digest) => {
    const Key = passkeyChallengeKey(digest);
    const { Attributes } = await client.send(new DeleteCommand({ TableName: table, Key, ReturnValues: 'ALL_OLD' }));
    return Attributes && v.parse(ChallengeRow, Attributes);
  };

  async function list(accountId: number): Promise<Passkey[]> {
    return passkeysOf(await readPrefix(client, table, userKey(accountId).pk, prefix));
  }

  async function find(accountId: number, digest: string): Promise<Passkey | undefined> {
    const row = await readItem(client, table, passkeyKey(accountId, digest));
    return row && passkeysOf([row])[0];
  }

  /** The user's item counts the passkeys, so that concurrent additions stay within the limit. */
  const add: PasskeyStore['add'] = async (account, { digest, ...passkey }, max, notice, now) => {
    const failed = await failedItems(client, [
      credentialChange(table, account, now, {
        set: ', passkeys = if_not_exists(passkeys, :none) + :one',
        condition: ' AND (attribute_not_exists(passkeys) OR passkeys < :max)',
        values: { ':none': 0, ':one': 1, ':max': max },
      }),
      putNew(table, { ...passkeyKey(account.id, digest), ...passkey }),
      ...mailItems(table, account.id, notice, now),
    ]);
    if (failed.length === 0) return 'added';
    if (failed.includes(1)) return 'known';
    return (await list(account.id)).length >= max ? 'too many' : 'changed';
  };

  const remove: PasskeyStore['remove'] = async (account, digest, notice, now) => {
    const failed = await failedItems(client, [
      credentialChange(table, account, now, {
        set: ', passkeys = if_not_exists(passkeys, :one) - :one',
        values: { ':one': 1 },
      }),
      {
        Delete: {
          TableName: table,
          Key: passkeyKey(account.id, digest),
          ConditionExpression: 'attribute_exists(pk)',
        },
      },
      ...mailItems(table, account.id, notice, now),
    ]);
    if (failed.length === 0) return 'removed';
    return failed.includes(1) ? 'unknown' : 'changed';
  };

  /** Many authenticators have no counter and always report 0. */
  const use: PasskeyStore['use'] = async (accountId, digest, signCount, now) => {
    const write = new UpdateCommand({
      TableName: table,
      Key: passkeyKey(accountId, digest),
      UpdateExpression: 'SET signCount = :count, lastUsedAt = :now',
      ConditionExpression: signCount === 0 ? 'signCount = :count' : 'signCount < :count',
      ExpressionAttributeValues: { ':count': signCount, ':now': now },
    });
    return 'done' in (await conditionally(client.send(write)));
  };

  return { openChallenge, takeChallenge, list, find, add, remove, use };
}
