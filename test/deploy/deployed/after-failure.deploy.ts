import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient, ListTablesCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';

const stack = process.env['FAILED_STACK'] ?? '';
const isData = stack.endsWith('-data');

async function statusOf(name: string) {
  const { Stacks } = await new CloudFormationClient().send(new DescribeStacksCommand({ StackName: name }));
  return Stacks?.[0]?.StackStatus;
}

test.runIf(isData)('a data stack whose creation failed keeps its tables, empty and active', async () => {
  expect(await statusOf(stack)).toBe('ROLLBACK_FAILED');
  const client = new DynamoDBClient();
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  const left = TableNames.filter((name) => name.startsWith(stack));
  expect(left.length).toBeGreaterThan(0);
  for (const TableName of left) {
    expect((await client.send(new ScanCommand({ TableName }))).Count).toBe(0);
    expect((await client.send(new DescribeTableCommand({ TableName }))).Table?.TableStatus).toBe('ACTIVE');
  }
});

test.skipIf(isData)('an API stack whose creation failed leaves no function and no queue', async () => {
  expect(await statusOf(stack)).toBe('ROLLBACK_COMPLETE');
  const functions: string[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client: new LambdaClient() }, {}))
    functions.push(...Functions.map(({ FunctionName = '' }) => FunctionName));
  expect(functions.length).toBeGreaterThan(50);
  expect(functions.filter((name) => name.startsWith(stack))).toEqual([]);
  const { QueueUrls = [] } = await new SQSClient().send(new ListQueuesCommand({}));
  expect(QueueUrls.length).toBeGreaterThan(0);
  expect(QueueUrls.filter((url) => url.includes(stack))).toEqual([]);
});
