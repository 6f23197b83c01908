import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { profileService } from '#domain/accounts/profile.ts';
import { accountDeletionStore } from '#repositories/accounts/account-deletions.ts';
import { purgeKey, userKey } from '#repositories/accounts/account-items.ts';
import { ambient } from '#runtime/process.ts';
import { useTestDatabase } from '#test/database/database.ts';

const table = tables.accounts.name;
const now = 1_800_000_000_000;

const database = useTestDatabase();

const unused = () => {
  throw new Error('not part of a purge');
};

it('an account that cannot be purged keeps none of the others, and is reported and tried again', async () => {
  let isBroken = true;
  const deletions = accountDeletionStore(database.client, table, tables.meters.name, async (accountId) => {
    if (accountId === 1 && isBroken) throw new Error('its files cannot be deleted');
  });
  const profile = profileService(
    { find: unused } as never,
    () => deletions,
    unused,
    unused,
    { now: () => now },
    ambient.random,
    { publicOrigin: 'https://example.com' },
  );
  const put = (Item: object) => database.client.send(new PutCommand({ TableName: table, Item: { ...Item } }));
  for (const accountId of [1, 2, 3]) {
    await put({ ...userKey(accountId), email: 'a@example.com' });
    await put({ ...purgeKey(accountId, now - 10 + accountId), accountId, purgeAt: now - 10 + accountId });
  }
  const left = async () => {
    const { Items = [] } = await database.client.send(new ScanCommand({ TableName: table }));
    return Items.map(({ pk, sk }) => `${pk} ${sk}`).toSorted();
  };

  await expect(profile.purge()).rejects.toThrow('1 accounts could not be purged');
  expect(await left()).toEqual([`purge ${purgeKey(1, now - 9).sk}`, 'user#1 user']);
  expect(await profile.purge(AbortSignal.abort())).toBe(0);
  expect(await left()).toHaveLength(2);
  isBroken = false;
  expect(await profile.purge()).toBe(1);
  expect(await left()).toEqual([]);
});
