import { type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Account } from '#domain/accounts/account.ts';
import type { ConsumedToken, IdentityStore } from '#domain/accounts/google-sign-in.ts';
import { readItem } from '../shared/read-items.ts';
import { commit, putNew, type TransactItem } from '../shared/transaction.ts';
import {
  accountOf,
  identityKey,
  identityTokenKey,
  unchangedSinceRead,
  ownerOf,
  seconds,
  uniqueRow,
  userKey,
} from './account-items.ts';

export function consumption(table: string, { digest, expiresAt }: ConsumedToken): TransactItem {
  return putNew(table, { ...identityTokenKey(digest), ttl: seconds(expiresAt) });
}

export function identityStore(client: DynamoDBDocumentClient, table: string): IdentityStore {
  async function find(identity: string): Promise<Account | undefined> {
    const item = await readItem(client, table, identityKey(identity));
    const user = item && (await readItem(client, table, userKey(ownerOf(item))));
    return user && accountOf(user);
  }

  function give(account: Account, identity: string, proof: ConsumedToken, update: object): Promise<boolean> {
    return commit(client, [
      { Update: { TableName: table, Key: userKey(account.id), ...updateOf(identity, update) } },
      putNew(table, uniqueRow(identityKey(identity), account.id)),
      consumption(table, proof),
    ]);
  }

  function updateOf(
    identity: string,
    { set = '', remove = '', condition = '', names, values = {} }: Partial<UserUpdate>,
  ) {
    return {
      UpdateExpression: `SET identities = list_append(if_not_exists(identities, :none), :identities)${set}${remove}`,
      ConditionExpression: `attribute_exists(pk)${condition}`,
      ...(names && { ExpressionAttributeNames: names }),
      ExpressionAttributeValues: { ':identities': [identity], ':none': [], ...values },
    };
  }

  return {
    find,
    consume: (proof) => commit(client, [consumption(table, proof)]),
    link: (account, identity, proof, now) => {
      const { expression, values } = unchangedSinceRead(account);
      return give(account, identity, proof, {
        set: ', sessionsValidFrom = :now',
        remove: ' REMOVE resets',
        condition: ` AND attribute_exists(confirmedAt) AND ${expression}`,
        values: { ...values, ':now': now },
      });
    },
    takeOver: (account, identity, proof, { name, language }, now) =>
      give(account, identity, proof, {
        set: `, confirmedAt = :now, sessionsValidFrom = :now, #name = :name${language ? ', #language = :language' : ''}`,
        names: { '#name': 'name', '#language': 'language' },
        remove: ` REMOVE passwordHash, confirmation, resets, terms${language ? '' : ', #language'}`,
        condition: ' AND attribute_not_exists(confirmedAt)',
        values: { ':now': now, ':name': name, ...(language && { ':language': language }) },
      }),
  };
}

interface UserUpdate {
  set: string;
  remove: string;
  condition: string;
  names: Record<string, string>;
  values: Record<string, unknown>;
}
