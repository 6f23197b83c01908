import { GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { plansOf } from '#contract/billing/plans.ts';
import { tables } from '#contract/platform/resources.ts';
import { profileService } from '#domain/accounts/profile.ts';
import { openMeter } from '#domain/billing/grants.ts';
import { purgeKey, userKey } from '#repositories/accounts/account-items.ts';
import { accountDeletionStore, accountStore } from '#repositories/accounts/accounts.ts';
import { passwordStore } from '#repositories/accounts/passwords.ts';
import { ambient } from '#runtime/process.ts';
import { useTestDatabase } from '#test/database/database.ts';

const table = tables.accounts.name;
const id = 1234;
const now = 1_800_000_000_000;

const database = useTestDatabase();

const unused = () => {
  throw new Error('not part of a purge');
};

it('an account that cannot be purged is reported and retried, and does not delay the others', async () => {
  let isBroken = true;
  const purged: number[] = [];
  const purgeFiles = async (accountId: number): Promise<void> => {
    if (accountId === 1 && isBroken) throw new Error('its files cannot be deleted');
  };
  const deletions = accountDeletionStore(database.client, table, tables.meters.name, purgeFiles, async (accountId) => {
    purged.push(accountId);
  });
  const profile = profileService(
    { find: unused } as never,
    {
      deletions: () => deletions,
      meters: unused,
      throttle: unused,
      stopCollecting: unused,
      leaveOrganizations: unused,
      afterDeletion: unused,
    },
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
  expect(purged.toSorted((one, other) => one - other)).toEqual([2, 3]);
  expect(await profile.purge()).toBe(1);
  expect(purged).toContain(1);
  expect(await left()).toEqual([]);
});

it('a password that is replaced during the rehash of the old one stays replaced', async () => {
  const account = { id, email: 'a@example.com', name: 'A', role: 'viewer', createdAt: 0, passwordHash: 'new' } as const;
  const meter = openMeter(id, 0, plansOf('listing'));
  await accountStore(database.client, table, () => tables.meters.name).create({ account, meter }, 0);
  const passwords = passwordStore(database.client, table);
  const stored = async () => {
    const { Item } = await database.client.send(new GetCommand({ TableName: table, Key: userKey(id) }));
    return Item?.['passwordHash'];
  };
  await passwords.rehash(id, 'old', 'old, dearer');
  expect(await stored()).toBe('new');
  await passwords.rehash(id, 'new', 'new, dearer');
  expect(await stored()).toBe('new, dearer');
});

it('a password is not changed by a session that another change of credentials has ended', async () => {
  const about = { name: 'B', role: 'viewer', createdAt: 0, passwordHash: 'old' } as const;
  const account = { id: id + 1, email: 'b@example.com', ...about };
  const meter = openMeter(account.id, 0, plansOf('listing'));
  await accountStore(database.client, table, () => tables.meters.name).create({ account, meter }, 0);
  const passwords = passwordStore(database.client, table);
  const notice = { id: 'mail-1', to: account.email, subject: 'S', text: 'T', html: 'H' } as const;
  expect(await passwords.change(account, 'new', notice, 1000)).toBe(true);
  const read = { ...account, passwordHash: 'new' };
  expect(await passwords.change(read, 'newer', { ...notice, id: 'mail-2' }, 2000)).toBe(false);
  const current = { ...read, sessionsValidFrom: 1000 };
  expect(await passwords.change(current, 'newer', { ...notice, id: 'mail-3' }, 3000)).toBe(true);
});
