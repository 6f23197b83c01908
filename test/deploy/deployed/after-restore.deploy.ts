import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { DescribeTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { chat, useTestService } from '#test/service/service.ts';
import { until } from './until.ts';

const { id, key, balance } = JSON.parse(readFileSync(process.env['RESTORE_STATE'] ?? '', 'utf8')) as {
  id: number;
  key: string;
  balance: number;
};
const service = useTestService();

const credits = () => service.call('GET', '/api/credits', { key });

test('the stage uses the restored tables', () => {
  expect([process.env['METERS_TABLE'], process.env['LEDGER_TABLE']]).toEqual(['meters-restored', 'ledger-restored']);
});

test('balance, key and entries are those of the given second', async () => {
  const { status, body } = await credits();
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ balance, held: 0 });
  expect(body.data.entries.map(({ type }: { type: string }) => type)).toEqual(['charge', 'charge', 'grant']);
});

test('a call is charged, and its row is in the restored table', async () => {
  expect((await service.call('POST', '/v1/chat/completions', { key, body: chat() })).status).toBe(200);
  const { body } = await until(credits, (response) => response.body.data.entries.length === 4);
  expect(body.data).toMatchObject({ balance: balance - 1, entries: { length: 4 } });
});

// Other tests change credits of other accounts without a ledger row.
test('the balance equals the sum of its rows', () => {
  const { stdout } = spawnSync('node', ['bin/audit.ts'], { encoding: 'utf8' });
  expect(stdout).toMatch(/\d+ accounts, \d+ differ/);
  expect(stdout).not.toContain(String(id));
});

test('the replaced tables are kept outside the stack', async () => {
  const client = new DynamoDBClient();
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  for (const id of ['meters', 'ledger']) {
    const TableName = TableNames.find((name) => name.startsWith('text-ai-plain-data') && name.includes(id));
    expect((await client.send(new DescribeTableCommand({ TableName }))).Table?.TableStatus).toBe('ACTIVE');
  }
  client.destroy();
});
