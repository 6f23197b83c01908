import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tableVariables } from '#contract/platform/environment.ts';
import { tables } from '#contract/platform/resources.ts';
import { unlimited } from '#domain/meter/rate-window.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { type LedgerAccount, openLedgerAccount } from '#test/meter/ledger-account.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meter/meters.ts';
import { runCommand } from '#test/run-command.ts';

const database = useTestDatabase();
let folder: string;
let account: LedgerAccount;
beforeAll(async () => {
  folder = await testFolder();
  return () => removeFolder(folder);
});

beforeEach(async () => {
  account = await openLedgerAccount(database.url);
  for (const cost of [3, 5, 7]) await account.call(credits(10), credits(cost));
  return () => account.close();
});

const recordOf = (image: unknown) => ({ eventName: 'MODIFY', dynamodb: { NewImage: marshall(image) } });

/** An object as Lambda writes it: metadata, and the event as text. */
async function givenUp(Records: readonly object[], asText = true): Promise<string> {
  const file = join(folder, `${account.id}.json`);
  const event = { Records };
  const record = {
    requestContext: { condition: 'RecordAgeExceeded', approximateInvokeCount: 40 },
    version: '1.0',
    DDBStreamBatchInfo: { shardId: 'shardId-1', batchSize: Records.length },
    payload: asText ? JSON.stringify(event) : event,
  };
  await writeFile(file, JSON.stringify(record));
  return file;
}

const replay = (...files: string[]) =>
  runCommand('bin/replay.ts', files, {
    AWS_ENDPOINT_URL_DYNAMODB: database.url,
    POWERTOOLS_METRICS_DISABLED: 'true',
    [tableVariables.accounts]: tables.accounts.name,
    [tableVariables.ledger]: tables.ledger.name,
    [tableVariables.meters]: tables.meters.name,
  });

/** The images of changes that pass the stream's filter. */
const ended = () => account.images.filter((image) => 'last' in (image as object));

describe('npm run replay', () => {
  it.each([true, false])('writes the rows of discarded records once (payload as text: %j)', async (asText) => {
    const file = await givenUp(ended().map(recordOf), asText);
    const { seq } = await account.current();
    expect(await account.rows(seq)).toEqual([]);
    const result = await replay(file);
    expect(result).toMatchObject({ status: 0, out: expect.stringContaining(`${file}: 4 of 4 records written\n`) });
    const rows = await account.rows(seq);
    expect(rows.map(({ amount }) => amount).slice(1)).toEqual([-3, -5, -7].map((cost) => credits(cost)));
    expect((await replay(file)).status).toBe(0);
    expect(await account.rows(seq)).toEqual(rows);
  });

  it('writes the other records if one fails, names the failed record and exits 1', async () => {
    const images = ended();
    const { err, status } = await replay(await givenUp([{ a: account.id, last: 'no list' }, ...images].map(recordOf)));
    expect(status).toBe(1);
    expect(err).toContain(`the record of {"N":"${account.id}"} was not written`);
    expect(await account.rows((await account.current()).seq)).toHaveLength(images.length);
  });

  it('posts the charges of a lane in their order, whatever the order of the records', async () => {
    const about = meterWith(credits(100), { ceiling: unlimited, callsPerMonth: unlimited, maxConcurrentCalls: 1000 });
    const meter = await putMeter(database.client, about);
    const store = meterStore(database.client, tables.meters.name, ambient.random);
    const { accountId, due: until } = meter;
    expect(await store.openLanes(meter, { count: 1, amount: credits(10), until, at: until })).toBe(true);
    const [lane = 0] = (await store.find(accountId))?.lanes?.keys() ?? [];
    const images: unknown[] = [];
    for (const requestId of ['first', 'second', 'third']) {
      const attempt = attemptOn(meter, requestId);
      expect(await store.admitInLane(lane, attempt)).toBe(true);
      const hold = { ...attempt, keyId: 'key-1' };
      const about = { hold, cost: credits(1), now: start, staleBuckets: [], expiryPassed: false };
      expect(await store.settle({ accountId: lane, requestId, ...about })).toBe(true);
      const Key = { a: lane };
      images.push((await database.client.send(new GetCommand({ TableName: tables.meters.name, Key }))).Item);
    }
    const result = await replay(await givenUp(images.toReversed().map(recordOf)));
    expect(result).toMatchObject({ status: 0, out: expect.stringContaining('3 of 3 records written') });
    expect((await store.find(accountId))?.used).toEqual({ chat: credits(3) });
    expect(await replay('--lost-charges')).toMatchObject({ status: 0, out: '0 lanes posted\n' });
  });

  it('exits 2 without a file and for a file that Lambda did not write', async () => {
    expect((await replay()).status).toBe(2);
    expect((await replay('--lost-charges', 'file.json')).status).toBe(2);
    const file = join(folder, 'other.json');
    await writeFile(file, '{"Records":[]}');
    expect(await replay(file)).toMatchObject({ status: 2, err: expect.stringContaining('payload') });
  });
});
