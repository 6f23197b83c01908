import { DeleteCommand, ScanCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { mailItems, mailKey } from '#repositories/accounts/account-items.ts';
import { mailHistory, noteFeedback, outboxStore } from '#repositories/mail/mail.ts';
import { useTestDatabase } from '#test/database/database.ts';

const TableName = tables.accounts.name;
const content = { to: 'a@example.com', subject: 'Reset', text: 'token=tar_secret', html: '<p>token=tar_secret</p>' };
const day = 86_400_000;

const database = useTestDatabase();

async function written(accountId: number, id: string, at: number): Promise<void> {
  const TransactItems = mailItems(TableName, accountId, { id, ...content }, at);
  await database.client.send(new TransactWriteCommand({ TransactItems }));
}

const recent = (accountId: number, limit: number, now: number) =>
  mailHistory(database.client, TableName).recent(accountId, limit, now);

it('a sent email has no stored text or link, and its outcome is listed for 30 days', async () => {
  await written(1, 'm', day);
  expect(await recent(1, 20, day)).toEqual([{ subject: 'Reset', createdAt: day, state: 'waiting' }]);
  await outboxStore(database.client, TableName).close('m', 'sent', day + 5);
  const sent = { subject: 'Reset', createdAt: day, state: 'sent', closedAt: day + 5 };
  expect(await recent(1, 20, 31 * day - 1000)).toEqual([sent]);
  expect(await recent(1, 20, 31 * day)).toEqual([]);
  const { Items = [] } = await database.client.send(new ScanCommand({ TableName }));
  expect(JSON.stringify(Items)).not.toContain('tar_secret');
});

it('a sent email is listed as bounced or reported as spam, with the time of the first report', async () => {
  const note = noteFeedback(database.client, TableName);
  for (const id of ['bounced', 'reported']) {
    await written(5, id, day);
    await outboxStore(database.client, TableName).close(id, 'sent', day + 5);
  }
  await note('bounced', 'bounce', day + 7);
  await note('bounced', 'complaint', day + 8);
  await note('reported', 'complaint', day + 9);
  await note('unknown', 'bounce', day + 9);
  const listed = new Map((await recent(5, 20, day + 10)).map(({ state, closedAt }) => [state, closedAt]));
  expect(Object.fromEntries(listed)).toEqual({ bounced: day + 7, complained: day + 9 });
  const { Items = [] } = await database.client.send(new ScanCommand({ TableName }));
  expect(Items.filter(({ pk }) => pk === mailKey('unknown').pk)).toEqual([]);
});

it('a discarded email is listed as expired, even after its row is deleted', async () => {
  await written(2, 'unsent', day);
  const expired = [{ subject: 'Reset', createdAt: day, state: 'expired' }];
  expect(await recent(2, 20, 8 * day)).toEqual(expired);
  await database.client.send(new DeleteCommand({ TableName, Key: mailKey('unsent') }));
  expect(await recent(2, 20, 8 * day)).toEqual(expired);
});

it('the history lists the newest emails of an account up to a limit, without expired ones', async () => {
  for (let mail = 1; mail <= 25; mail++) await written(3, `m${mail}`, mail * day);
  await written(4, 'other', 30 * day);
  const dates = async (limit: number, now: number) =>
    (await recent(3, limit, now)).map(({ createdAt }) => createdAt / day);
  expect(await dates(20, 0)).toEqual(Array.from({ length: 20 }, (_, index) => 25 - index));
  expect(await dates(3, 0)).toEqual([25, 24, 23]);
  expect(await dates(20, 53.5 * day)).toEqual([25, 24]);
});
