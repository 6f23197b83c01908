import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { parseStage } from '#lib/stages.ts';
import { otherStage, restoredTables } from '#test/stages/other-stage.ts';
import { plainStage } from '#test/stages/plain-stage.ts';
import { type Stub, type StubResponse, startStubAws } from '../stub-aws.ts';
import { ofType, synthesise } from '../synth.ts';

const { data, api } = await synthesise({ stage: otherStage, buffered: true });
const aws = await startStubAws();
afterAll(() => aws.close());

const arn = (name: string) => `arn:aws:dynamodb:eu-west-1:111111111111:table/${name}`;
const described = (name: string, more: object = {}): StubResponse => ({
  body: { Table: { TableName: name, TableArn: arn(name), TableStatus: 'ACTIVE', ...more } },
});
const notFound: StubResponse = { status: 400, body: { __type: 'ResourceNotFoundException', message: 'no such table' } };
const done: StubResponse = { body: {} };

const operations = () => aws.called.map(({ operation }) => operation);
const updates = () => aws.called.filter(({ operation }) => operation === 'UpdateTable');
const { streamArn } = restoredTables.meters;

/** An account with the table `meters-1`, in which the restored table appears. */
function account(exists = false): Stub {
  return {
    'DescribeTable meters-1': described('meters-1'),
    get 'DescribeTable meters-2'(): StubResponse {
      if (!exists && !operations().includes('RestoreTableToPointInTime')) return notFound;
      const isStreaming = updates().some(({ text }) => text.includes('StreamEnabled'));
      return described('meters-2', isStreaming ? { LatestStreamArn: streamArn } : {});
    },
    'DescribeTable none': notFound,
    RestoreTableToPointInTime: done,
    UpdateContinuousBackups: done,
    UpdateTimeToLive: done,
    UpdateTable: done,
    TagResource: done,
    ListTagsOfResource: {
      body: {
        Tags: [
          { Key: 'text-ai-stage', Value: 'live' },
          { Key: 'aws:cloudformation:stack-name', Value: 'x' },
        ],
      },
    },
  };
}
beforeEach(() => aws.play(account()));

async function restore(...args: readonly string[]) {
  const child = spawn(process.execPath, ['bin/restore.ts', ...args], {
    cwd: join(import.meta.dirname, '../../..'),
    env: { PATH: process.env['PATH'] ?? '', ...aws.credentials },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  const [code] = await once(child, 'close');
  return { code, output };
}

describe('npm run restore', () => {
  test('restores to the given second, copies the settings that a restore omits, and prints the stage setting', async () => {
    const { code, output } = await restore('meters', 'meters-1', 'meters-2', '--at', '2026-11-22T09:00:00Z');
    expect([code, output]).toEqual([0, expect.stringContaining('existingTables')]);
    const sent = (name: string) => aws.called.find(({ operation }) => operation === name)?.text;
    expect(JSON.parse(sent('RestoreTableToPointInTime')!)).toMatchObject({
      SourceTableName: 'meters-1',
      TargetTableName: 'meters-2',
      RestoreDateTime: Date.parse('2026-11-22T09:00:00Z') / 1000,
    });
    expect(sent('UpdateContinuousBackups')).toContain('"PointInTimeRecoveryEnabled":true');
    expect(JSON.parse(sent('TagResource')!).Tags).toEqual([{ Key: 'text-ai-stage', Value: 'live' }]);
    expect(updates().map(({ text }) => text)).toEqual([
      expect.stringContaining('"DeletionProtectionEnabled":true'),
      expect.stringContaining('"StreamViewType":"NEW_AND_OLD_IMAGES"'),
    ]);
    expect(sent('UpdateTimeToLive')).toContain('"AttributeName":"ttl"');
    // The printed stage setting for the new table.
    const setting = JSON.parse(output.slice(output.indexOf('existingTables: ') + 16, output.lastIndexOf(',')));
    expect(setting).toEqual(restoredTables);
    expect(ofType(data, 'AWS::DynamoDB::GlobalTable')).toHaveLength(Object.keys(tables).length - 1);
    const followed = ofType(api, 'AWS::Lambda::EventSourceMapping').map(
      ([, { Properties }]) => Properties['EventSourceArn'],
    );
    expect(followed).toContain(streamArn);
    const variables = JSON.stringify(ofType(api, 'AWS::Lambda::Function'));
    expect(variables).toContain('"METERS_TABLE":"meters-2"');
  }, 60_000);

  test('completes a table that exists already, even one from AWS Backup without its source', async () => {
    for (const [source, tags] of [
      ['meters-1', 1],
      ['none', 0],
    ] as const) {
      aws.play(account(true));
      const result = await restore('meters', source, 'meters-2');
      expect(result).toMatchObject({ code: 0, output: expect.stringContaining(streamArn) });
      expect(operations()).not.toContain('RestoreTableToPointInTime');
      expect(operations().filter((operation) => operation === 'TagResource')).toHaveLength(tags);
      expect(updates()).toHaveLength(2);
    }
  });

  test.each([
    [['meters', 'none', 'meters-2'], /The table none does not exist/],
    [['meters', 'meters-1', 'meters-2', '--at', 'yesterday'], /yesterday is not a time such as/],
    [['models', 'meters-1', 'meters-2'], /Usage: npm run restore/],
  ])('restores nothing with %j, and prints the reason', async (args, reason) => {
    const { code, output } = await restore(...args);
    expect([code, output]).toEqual([1, expect.stringMatching(reason)]);
    expect(operations()).not.toContain('RestoreTableToPointInTime');
  });
});

test('a stage refuses an existing table without the stream that its functions need', () => {
  const existingTables = { meters: { name: 'meters-2' } };
  expect(() => parseStage({ ...plainStage, existingTables })).toThrow(/existingTables.meters must have streamArn/);
});
