import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';

test('the API of a destroyed stage does not respond', async () => {
  const { status } = await fetch(`${process.env['DEPLOYED_API']}/v1/models`);
  expect(status).toBeGreaterThanOrEqual(400);
});

test.each(['ACCOUNTS', 'METERS', 'LEDGER', 'IDEMPOTENCY'])(
  'the table of %s survives the destruction of its stage',
  async (name) => {
    const client = new DynamoDBClient();
    const { Table } = await client.send(new DescribeTableCommand({ TableName: process.env[`${name}_TABLE`] }));
    expect(Table?.TableStatus).toBe('ACTIVE');
    client.destroy();
  },
);
