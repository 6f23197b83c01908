import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { describe, expect, it } from 'vitest';
import type { TableSpec } from '#contract/platform/resources.ts';
import { type Database, startDatabase } from '#local/dynamodb/database.ts';
import { startStreamPump } from '#local/dynamodb/stream-pump.ts';
import { startStreamTrim } from '#local/dynamodb/upkeep.ts';
import { recorder } from '#test/database/stream-recorder.ts';
import { testFolder } from '#test/folder.ts';

const spec: TableSpec = { name: 'table', partitionKey: { name: 'pk', type: 'S' }, stream: 'new' };

async function open(folder: string) {
  const file = join(folder, 'db.sqlite');
  const database = await startDatabase({ file, external: undefined, tables: [spec] });
  const client = new DynamoDBStreamsClient({ endpoint: database.url });
  const { Table } = await database.client.send(new DescribeTableCommand({ TableName: spec.name }));
  const pumpTo = (name: string, deliver: Parameters<typeof startStreamPump>[0]['deliver']) =>
    startStreamPump({
      client,
      streamArn: Table!.LatestStreamArn!,
      filters: [{}],
      concurrentBatches: 1,
      restMs: 50,
      deliver,
      checkpointFile: join(folder, `${name}.json`),
      file: database.file,
      log: () => undefined,
    });
  const close = async () => {
    client.destroy();
    await database.close();
  };
  return { file, database, pumpTo, close };
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const log = (line: string) => expect.fail(line);

const put = (database: Database, n: number, text = '') =>
  database.client.send(
    new PutItemCommand({
      TableName: spec.name,
      Item: { pk: { S: `p${n % 5}` }, n: { N: String(n) }, text: { S: text } },
    }),
  );

function sequenceNumbers(file: string): number[] {
  const sqlite = new DatabaseSync(file, { readOnly: true });
  const rows = sqlite.prepare('SELECT CAST(sequence_number AS INTEGER) AS n FROM _stream_records ORDER BY 1').all();
  sqlite.close();
  return rows.map(({ n }) => Number(n));
}

describe('the trim of a stream', () => {
  it('deletes records that every pump has delivered, except the last, so that sequence numbers continue', async () => {
    const { file, database, pumpTo, close } = await open(await testFolder());
    const { seen, deliver } = recorder();
    const fast = await pumpTo('fast', async (event) => deliver(event));
    const late = { deliver: async (): Promise<unknown> => Promise.reject(new Error('not yet')) };
    const slow = await pumpTo('slow', (event) => late.deliver().then(() => event));
    const trim = startStreamTrim({
      file: database.file!,
      pumps: new Map([[spec.name, [fast, slow]]]),
      log,
    });
    for (const n of upTo(250)) await put(database, n);
    await fast.settled();
    await sleep(1100);
    expect(sequenceNumbers(file)).toHaveLength(250);

    late.deliver = async () => undefined;
    await slow.settled();
    await expect.poll(() => sequenceNumbers(file), { timeout: 5000 }).toEqual([250]);
    await put(database, 250);
    expect(sequenceNumbers(file)).toEqual([250, 251]);
    await fast.settled();
    expect(seen).toEqual(upTo(251));
    for (const part of [trim, fast, slow]) await part.close();
    await close();
  });

  it('bounds the size of the file while the same items are rewritten', async () => {
    const { file, database, pumpTo, close } = await open(await testFolder());
    const pump = await pumpTo('pump', async () => undefined);
    const trim = startStreamTrim({ file: database.file!, pumps: new Map([[spec.name, [pump]]]), log });
    const pages = () => {
      const sqlite = new DatabaseSync(file, { readOnly: true });
      const { page_count: count } = sqlite.prepare('PRAGMA page_count').get()!;
      sqlite.close();
      return Number(count);
    };
    const round = async () => {
      for (const n of upTo(60)) await put(database, n, 'x'.repeat(20_000));
      await pump.settled();
      await expect.poll(() => sequenceNumbers(file).length, { timeout: 5000 }).toBe(1);
    };
    await round();
    const before = pages();
    await round();
    expect(pages()).toBeLessThan(before * 1.2);
    for (const part of [trim, pump]) await part.close();
    await close();
  });

  it('loses no acknowledged record if the process is killed', { timeout: 60_000 }, async () => {
    const folder = await testFolder();
    const delivered = join(folder, 'delivered');
    const script = `
      const { appendFileSync } = await import('node:fs');
      const { DescribeTableCommand, PutItemCommand } = await import('@aws-sdk/client-dynamodb');
      const { DynamoDBStreamsClient } = await import('@aws-sdk/client-dynamodb-streams');
      const { startDatabase } = await import('#local/dynamodb/database.ts');
      const { startStreamPump } = await import('#local/dynamodb/stream-pump.ts');
      const { startStreamTrim } = await import('#local/dynamodb/upkeep.ts');
      const [from] = process.argv.slice(1).map(Number);
      const spec = ${JSON.stringify(spec)};
      const database = await startDatabase({ file: ${JSON.stringify(join(folder, 'db.sqlite'))}, external: undefined, tables: [spec] });
      const client = new DynamoDBStreamsClient({ endpoint: database.url });
      const { Table } = await database.client.send(new DescribeTableCommand({ TableName: spec.name }));
      const pump = await startStreamPump({
        client,
        streamArn: Table.LatestStreamArn,
        filters: [{}],
        concurrentBatches: 1,
        restMs: 50,
        deliver: async ({ Records }) => appendFileSync(${JSON.stringify(delivered)}, Records.map((r) => r.dynamodb.NewImage.n.N + '\\n').join('')),
        checkpointFile: ${JSON.stringify(join(folder, 'pump.json'))},
        file: database.file,
        log: console.error,
      });
      startStreamTrim({ file: database.file, pumps: new Map([[spec.name, [pump]]]), log: console.error });
      for (let n = from; ; n++) {
        await database.client.send(new PutItemCommand({ TableName: spec.name, Item: { pk: { S: 'p' + (n % 5) }, n: { N: String(n) } } }));
        console.log(n);
      }`;
    let acknowledged = -1;
    for (const ms of [1600, 2300]) {
      const child = spawn('node', ['--input-type=module', '--eval', script, String(acknowledged + 1)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      await once(child.stdout, 'data');
      await sleep(ms);
      child.kill('SIGKILL');
      await once(child, 'close');
      acknowledged = Number(output.trimEnd().split('\n').at(-1));
    }
    const { file, pumpTo, close } = await open(folder);
    const { seen, deliver } = recorder();
    const pump = await pumpTo('pump', async (event) => deliver(event));
    await pump.settled();
    const before = (await readFile(delivered, 'utf8')).trimEnd().split('\n').map(Number);
    const all = new Set([...before, ...seen]);
    expect(upTo(acknowledged + 1).filter((n) => !all.has(n))).toEqual([]);
    expect(sequenceNumbers(file).length).toBeLessThan(acknowledged);
    await pump.close();
    await close();
  });
});

describe('a database file whose free pages outnumber its used ones', () => {
  it('is compacted at the next start, and keeps every item', { timeout: 60_000 }, async () => {
    const folder = await testFolder();
    const first = await open(folder);
    await put(first.database, 3);
    await first.close();
    const sqlite = new DatabaseSync(first.file);
    sqlite.exec('CREATE TABLE filler (bytes BLOB)');
    const insert = sqlite.prepare('INSERT INTO filler VALUES (zeroblob(1000000))');
    for (const _ of upTo(70)) insert.run();
    sqlite.exec('DROP TABLE filler');
    sqlite.close();
    expect((await stat(first.file)).size).toBeGreaterThan(64 * 1024 * 1024);
    const second = await open(folder);
    expect((await stat(first.file)).size).toBeLessThan(1024 * 1024);
    const { seen, deliver } = recorder();
    const pump = await second.pumpTo('pump', async (event) => deliver(event));
    await pump.settled();
    expect(seen).toEqual([3]);
    await pump.close();
    await second.close();
  });
});
