import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand, DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { onDatabase, tableName } from '#test/database/rows.ts';
import { chat, startTestService } from '#test/service/service.ts';
import { until } from './until.ts';

test('an account whose meter and rows are deleted loses its access', async () => {
  const service = await startTestService();
  const { id, key } = await service.person();
  for (const status of [200, 200])
    expect((await service.call('POST', '/v1/chat/completions', { key, body: chat() })).status).toBe(status);
  const credits = await until(
    () => service.call('GET', '/api/credits', { key }),
    ({ body }) => body.data.entries.length === 3,
  );
  const { balance } = credits.body.data;
  await sleep(1500);
  const at = new Date().toISOString();
  await sleep(1500);

  await onDatabase(async (client) => {
    await client.send(new DeleteCommand({ TableName: tableName('meters'), Key: { a: id } }));
    const query = { KeyConditionExpression: 'a = :a', ExpressionAttributeValues: { ':a': id } };
    const { Items = [] } = await client.send(new QueryCommand({ TableName: tableName('ledger'), ...query }));
    const lost = Items.map(({ a, sk }) => ({ DeleteRequest: { Key: { a, sk } } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [tableName('ledger')]: lost } }));
  });

  expect((await service.call('GET', '/api/credits', { key })).status).toBe(401);
  writeFileSync(process.env['RESTORE_STATE'] ?? '', JSON.stringify({ at, id, key, balance }));
});
