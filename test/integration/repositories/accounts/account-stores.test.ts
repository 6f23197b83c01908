import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { plansOf } from '#contract/billing/plans.ts';
import { tables } from '#contract/platform/resources.ts';
import { openMeter } from '#domain/meter/credits/billing.ts';
import { userKey } from '#repositories/accounts/account-items.ts';
import { accountStore } from '#repositories/accounts/accounts.ts';
import { passwordStore } from '#repositories/accounts/passwords.ts';
import { useTestDatabase } from '#test/database/database.ts';

const table = tables.accounts.name;
const id = 1234;

const database = useTestDatabase();

it('a password that was replaced while the old one was hashed at a new cost stays replaced', async () => {
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
