import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { startTestDatabase } from '#test/database/database.ts';

it('every database that a test opens is its own DynamoDB Local', async () => {
  const databases = await Promise.all([startTestDatabase(), startTestDatabase()]);
  const [one, other] = databases;
  expect((await fetch(one.url, { method: 'POST' })).headers.get('server')).toMatch(/^Jetty/);
  const TableName = tables.meters.name;
  await one.client.send(new PutCommand({ TableName, Item: { a: 1 } }));
  expect((await one.client.send(new ScanCommand({ TableName }))).Items).toEqual([{ a: 1 }]);
  expect((await other.client.send(new ScanCommand({ TableName }))).Items).toEqual([]);
  await Promise.all(databases.map((database) => database.close()));
});
