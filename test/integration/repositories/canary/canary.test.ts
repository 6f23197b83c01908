import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { plansOf } from '#contract/billing/plans.ts';
import { tables } from '#contract/platform/resources.ts';
import { openMeter } from '#domain/billing/grants.ts';
import { userKey } from '#repositories/accounts/account-items.ts';
import { accountDeletionStore, accountStore } from '#repositories/accounts/accounts.ts';
import { canaryStore } from '#repositories/canary/canary.ts';
import { outboxStore } from '#repositories/mail/mail.ts';
import { useTestDatabase } from '#test/database/database.ts';

const table = tables.accounts.name;
const token = { digest: 'own', expiresAt: 5000 };
const emailOf = (id: number) => `success+canary-${id}@simulator.amazonses.com`;

const database = useTestDatabase();

/** Registers an account, and lets the canary prepare the account of its own address with the same id. */
async function prepared(id: number, own: string, address: string, confirmedAt?: number): Promise<boolean> {
  const account = { id, email: address, name: 'A', role: 'viewer', createdAt: 0, passwordHash: 'p' } as const;
  const confirmed = confirmedAt === undefined ? account : { ...account, confirmedAt };
  const meter = openMeter(id, 0, plansOf('listing'));
  await accountStore(database.client, table, () => tables.meters.name).create({ account: confirmed, meter }, 0);
  const mail = { id: `mail-${id}`, to: own, subject: 's', text: 't', html: 'h' };
  return canaryStore(database.client, table).prepare(id, own, { token, mail, purgeAt: 1 }, 0);
}

const rowOf = async (Key: Record<string, unknown>) =>
  (await database.client.send(new GetCommand({ TableName: table, Key }))).Item;
const mailOf = (id: number) => rowOf({ pk: `mail#mail-${id}`, sk: 'mail' });
const toBePurged = async () => {
  const store = accountDeletionStore(
    database.client,
    table,
    tables.meters.name,
    async () => undefined,
    async () => undefined,
  );
  return (await Array.fromAsync(store.toBePurged(10))).map(({ accountId }) => accountId);
};

test.each([
  ['with another address', 11, 'ada@example.com', undefined],
  ['that is confirmed', 12, emailOf(12), 1000],
])('the canary cannot confirm, email or purge an account %s', async (_, id, address, confirmedAt) => {
  expect(await prepared(id, emailOf(12), address, confirmedAt)).toBe(false);
  expect(await rowOf(userKey(id))).not.toHaveProperty('confirmation');
  expect(await mailOf(id)).toBeUndefined();
  expect(await toBePurged()).not.toContain(id);
});

test('the canary confirms, emails and purges its own account', async () => {
  expect(await prepared(13, emailOf(13), emailOf(13))).toBe(true);
  expect(await rowOf(userKey(13))).toMatchObject({ confirmation: token });
  expect(await mailOf(13)).toMatchObject({ to: emailOf(13), outbox: 'mail-13' });
  expect(await toBePurged()).toEqual([13]);
});

test('the canary can read the outcome of its email', async () => {
  const store = canaryStore(database.client, table);
  expect(await store.mailOutcome('mail-13')).toBeUndefined();
  await outboxStore(database.client, table).close('mail-13', 'sent', 2000);
  expect(await store.mailOutcome('mail-13')).toBe('sent');
});
