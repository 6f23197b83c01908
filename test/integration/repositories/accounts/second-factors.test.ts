import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import type { Account } from '#domain/accounts/account.ts';
import { userKey } from '#repositories/accounts/account-items.ts';
import { secondFactorStore } from '#repositories/accounts/second-factors.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { times } from '#test/many.ts';

const table = tables.accounts.name;
const now = 1_800_000_000_000;
const secret = Buffer.from('12345678901234567890');
const database = useTestDatabase();

const notice = (index: number) => ({ id: `mail-${index}`, to: 'a@example.com', subject: 's', text: 't', html: 'h' });

/** The store, and an account with an authenticator app whose step 10 and two recovery codes are known. */
async function enabled(id: number) {
  const account: Account = { id, email: `${id}@example.com`, name: 'Ada', role: 'viewer', createdAt: now };
  await database.client.send(new PutCommand({ TableName: table, Item: { ...userKey(id), ...account } }));
  const store = secondFactorStore(database.client, table);
  await store.setUp(id, secret, now);
  const factor = { secret, step: 10, recovery: ['one', 'other'] };
  expect(await store.enable(account, factor, notice(id * 100), now)).toBe(true);
  return { store, account, factor };
}

const accepted = (results: readonly boolean[]) => results.filter(Boolean).length;

it('a recovery code is accepted once of 20 parallel uses, each with its own email', async () => {
  const { store } = await enabled(1);
  const use = (index: number) => store.useRecoveryCode(1, 'one', notice(index), now);
  expect(accepted(await Promise.all(times(20, use)))).toBe(1);
  expect(await store.useRecoveryCode(1, 'other', notice(50), now)).toBe(true);
  expect(await store.useRecoveryCode(1, 'unknown', notice(51), now)).toBe(false);
});

it('a step is accepted once of 20 parallel uses, and no earlier one after it', async () => {
  const { store } = await enabled(2);
  expect(await store.acceptStep(2, secret, 10)).toBe(false);
  expect(accepted(await Promise.all(times(20, () => store.acceptStep(2, secret, 12))))).toBe(1);
  expect(await store.acceptStep(2, secret, 11)).toBe(false);
  expect(await store.acceptStep(2, Buffer.from('another secret'), 13)).toBe(false);
  expect(await store.acceptStep(2, secret, 13)).toBe(true);
});

it('an app is enabled and disabled only if the account has not changed since it was read', async () => {
  const { store, account, factor } = await enabled(3);
  expect(await store.enable(account, factor, notice(301), now)).toBe(false);
  expect(await store.setUp(3, secret, now)).toBe(false);
  expect(await store.disable(account, notice(302), now)).toBe(false);
  expect(await store.disable({ ...account, sessionsValidFrom: now }, notice(303), now)).toBe(true);
  expect(await store.find(3)).toBeUndefined();
});
