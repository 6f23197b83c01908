import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Passkey, PasskeyStore } from '#domain/accounts/passkeys.ts';
import { conditionally } from '../shared/conditional.ts';
import { readItem, readPrefix } from '../shared/read-items.ts';
import { readable } from '../shared/readable.ts';
import { failedItems, putNew } from '../shared/transaction.ts';
import { mailItems, passkeyChallengeKey, passkeyKey, seconds, storedInstant, userKey } from './account-items.ts';
import { credentialChange } from './second-factors.ts';

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
