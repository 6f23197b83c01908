import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { streamViewTypes, type TableSpec, tables } from '#contract/platform/resources.ts';
import { startDatabase } from '#local/dynamodb/database.ts';
import { processesWith } from '#test/service/local-command.ts';

const specs: readonly TableSpec[] = Object.values(tables);
const newFile = async (): Promise<string> => join(await mkdtemp(join(tmpdir(), 'database-')), 'db.sqlite');
const start = (file: string, external?: string) => startDatabase({ file, external, tables: specs });

describe('the embedded database', () => {
  test('has the tables of the contract, with streams, indexes and expiry', async () => {
    const database = await start(await newFile());
    const { TableNames } = await database.client.send(new ListTablesCommand());
    expect(TableNames!.sort()).toEqual(specs.map(({ name }) => name).sort());
    for (const spec of specs) {
      const { Table } = await database.client.send(new DescribeTableCommand({ TableName: spec.name }));
      expect(Table!.StreamSpecification?.StreamViewType).toBe(spec.stream && streamViewTypes[spec.stream]);
      const indexes = Table!.GlobalSecondaryIndexes ?? [];
      expect(new Set(indexes.map(({ IndexName }) => IndexName))).toEqual(new Set(Object.keys(spec.indexes ?? {})));
      for (const { IndexName, Projection } of indexes) {
        const hasItems = spec.indexes?.[IndexName!]?.hasItems;
        expect(Projection!.ProjectionType).toBe(hasItems ? 'ALL' : 'KEYS_ONLY');
      }
      const { TimeToLiveDescription } = await database.client.send(
        new DescribeTimeToLiveCommand({ TableName: spec.name }),
      );
      expect(TimeToLiveDescription?.AttributeName).toBe(spec.ttlAttribute);
    }
    await database.close();
  });

  test('updates the stream of a table that an earlier release created', async () => {
    const file = await newFile();
    const tablesBefore = [{ ...tables.meters, stream: 'new' } as const];
    const before = await startDatabase({ file, external: undefined, tables: tablesBefore });
    await before.close();
    const database = await start(file);
    const { Table } = await database.client.send(new DescribeTableCommand({ TableName: tables.meters.name }));
    expect(Table!.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
    await database.close();
  });

  test('adds a new index to an existing table, with its items', async () => {
    const file = await newFile();
    const { indexes: _, ...requests } = tables.requests;
    const before = await startDatabase({ file, external: undefined, tables: [requests] });
    const Item = { a: { N: '1' }, sk: { S: 'b' }, f: { S: '1#5' }, status: { N: '500' } };
    await before.client.send(new PutItemCommand({ TableName: tables.requests.name, Item }));
    await before.close();
    const database = await start(file);
    const query = new QueryCommand({
      TableName: tables.requests.name,
      IndexName: 'failures',
      KeyConditionExpression: 'f = :f',
      ExpressionAttributeValues: { ':f': { S: '1#5' } },
    });
    expect((await database.client.send(query)).Items).toEqual([Item]);
    await database.close();
  });

  test('opens while another process still has the file open', async () => {
    const file = await newFile();
    const [left, next] = [await start(file), await start(file)];
    const Item = { pk: { S: 'a' }, sk: { S: 'b' } };
    await next.client.send(new PutItemCommand({ TableName: 'accounts', Item }));
    await Promise.all([left.close(), next.close()]);
  });

  test('reports why it cannot open a file', async () => {
    const file = join(await newFile(), 'below', 'nothing');
    await expect(start(file)).rejects.toThrow(
      new RegExp(`^The embedded database could not open ${file}: .*\\. Move the folder .* away, or choose another`),
    );
  });

  test('is not started if the address of another database is set, in which the tables are created', async () => {
    const other = await startDatabase({ file: await newFile(), external: undefined, tables: [] });
    const file = await newFile();
    const database = await start(file, other.url);
    expect(database.url).toBe(other.url);
    await expect.poll(() => processesWith(file)).toEqual([]);
    await database.close();
    expect((await other.client.send(new ListTablesCommand())).TableNames).toHaveLength(specs.length);
    await other.close();
    await expect(start(file, other.url)).rejects.toThrow(
      `The database at ${other.url} (AWS_ENDPOINT_URL_DYNAMODB) cannot be used`,
    );
  });
});

test('a platform without the embedded database is reported with the command and the variable for another one', async () => {
  const script = `
    Object.defineProperty(process, 'arch', { value: 'riscv64' });
    const { startDatabase } = await import('#local/dynamodb/database.ts');
    await startDatabase({ file: '/tmp/never', external: undefined, tables: [] }).catch((error) => console.log(error.message));`;
  const child = spawn('node', ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  expect(await text(child.stdout)).toMatch(
    /^There is no embedded database for this platform .*"docker run .* amazon\/dynamodb-local".*"AWS_ENDPOINT_URL_DYNAMODB=.* npm start"/,
  );
});
