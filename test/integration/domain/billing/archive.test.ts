import { gzipSync } from 'node:zlib';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tableVariables } from '#contract/platform/environment.ts';
import { tables } from '#contract/platform/resources.ts';
import { type ArchiveFiles, archivedBefore } from '#domain/billing/archive.ts';
import { auditor, type Finding } from '#domain/billing/auditor.ts';
import { rowKey } from '#repositories/billing/ledger-items.ts';
import { ledgerStore } from '#repositories/billing/ledger.ts';
import { atLength, patience, seed, someOf, times } from '#test/many.ts';
import { never, partRows, useArchivedAccount } from '#test/meter/archived-account.ts';
import { credits } from '#test/meter/meters.ts';
import { runCommand } from '#test/run-command.ts';

const table = tables.ledger.name;
const day = 86_400;

const { database, archive, here, items, usageOf } = useArchivedAccount();

async function findings(kind: 'audit' | 'rebuild'): Promise<Finding[]> {
  const found: Finding[] = [];
  await auditor(here.account.reads())[kind]((finding) => found.push(finding));
  return found;
}

async function audit(args: string[]) {
  const { status, out, err } = await runCommand('bin/audit.ts', args, {
    AWS_ENDPOINT_URL_DYNAMODB: database.url,
    AWS_ENDPOINT_URL_S3: archive.url,
    ARCHIVE_BUCKET: 'archive',
    [tableVariables.meters]: tables.meters.name,
    [tableVariables.ledger]: table,
  });
  return { status, out: out + err };
}

describe('archiving 14 months', () => {
  it('changes no history, usage, audit or rebuilt balance, and keeps only open months in the table', async () => {
    await here.live(14);
    const before = { rows: await here.history(), usage: await usageOf(), rebuilt: await findings('rebuild') };
    expect(before.rows.length).toBeGreaterThan(14 * 3);
    expect(await here.archiveNow()).toBeGreaterThan(14);

    const left = await here.inTable();
    const open = before.rows.filter(({ at }) => at >= archivedBefore(here.account.clock.now()));
    expect(left).toEqual(open.map(({ seq }) => seq).toReversed());
    expect(left.length).toBeLessThan(15);
    expect({ rows: await here.history(), usage: await usageOf(), rebuilt: await findings('rebuild') }).toEqual(before);
    expect(await findings('audit')).toEqual([]);
    for (const args of [[], ['--rebuild']])
      expect(await audit(args)).toEqual({ status: 0, out: '1 accounts, 0 differ, 0 behind\n' });
  });

  it('writes nothing when it is repeated, and later adds only newly closed months', async () => {
    await here.live(4);
    await here.archiveNow();
    const [written, rows] = [archive.keys.length, await here.history()];
    await here.archiveNow();
    expect(archive.keys).toHaveLength(written);
    await here.live(1);
    await here.archiveNow();
    expect(archive.keys.length).toBeGreaterThan(written);
    expect((await here.history()).slice(-rows.length)).toEqual(rows);
  });

  it('writes one object per month, named by account, month, first row and content', async () => {
    await here.live(4);
    const from = archive.keys.length;
    await here.archiveNow();
    const months = archive.keys
      .slice(from)
      .map(
        (key) =>
          new RegExp(`^ledger/${here.account.id}/(\\d{4}-\\d\\d)/\\d{16}-[0-9a-f]{64}\\.jsonl\\.gz$`).exec(key)?.[1],
      );
    expect(new Set(months).size).toBe(2);
    expect(months).toEqual(months.toSorted((one = '', other = '') => one.localeCompare(other)));
  });
});

describe('a page of the history', () => {
  it(
    'contains every row once and in order, for any page length, position and progress of the deletion',
    async () => {
      await here.live(5);
      const whole = await here.history(1000);
      const rows = (await items()).filter(({ sk }) => String(sk).startsWith('row#'));
      await here.archiveNow();
      const archived = rows.filter(({ seq }) => seq < whole[0]!.seq - 5);
      const input = [
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 0, max: whole.length + 5 }),
        fc.subarray(archived),
      ] as const;
      await fc.assert(
        fc.asyncProperty(...input, async (limit, before, undeleted) => {
          // A crashed run may leave any of the archived rows in the table.
          for (const Item of undeleted) await database.client.send(new PutCommand({ TableName: table, Item }));
          const page = await here.account.history(limit, before);
          const expected = whole.filter(({ seq }) => seq < before);
          expect(page.rows).toEqual(expected.slice(0, limit));
          expect(page.next).toBe(expected.length > limit ? expected[limit - 1]!.seq : null);
          expect(await here.history(limit)).toEqual(whole);
          await here.archiveNow();
        }),
        { numRuns: atLength(6, 300) },
      );
    },
    patience,
  );

  it.each(['missing', 'corrupt', 'cut off'] as const)('fails and names the object if that is %s', async (damage) => {
    await here.live(4);
    const from = archive.keys.length;
    await here.archiveNow();
    const key = archive.keys[from + 1]!;
    const files = await archive.files();
    const bytes = (await files.read(key))!;
    if (damage === 'missing') await archive.remove(key);
    else await files.write(key, damage === 'corrupt' ? gzipSync('{"seq":1}\n') : bytes.subarray(0, bytes.length - 9));
    await expect(here.history()).rejects.toThrow(key);
    await expect(findings('rebuild')).rejects.toThrow(key);
    expect(await audit([])).toMatchObject({ status: 2, out: expect.stringContaining(key) });
  });
});

describe('a run of the archiver', () => {
  /** A client and files that fail on the given call, before or after its effect. */
  function dying(at: number, isAfter: boolean) {
    let calls = 0;
    const attempt = async <T>(call: () => Promise<T>): Promise<T> => {
      calls += 1;
      if (calls > at) throw new Error('the run is dead');
      if (calls < at) return call();
      if (isAfter) await call();
      throw new Error('the run died');
    };
    const client = DynamoDBDocumentClient.from(database.client);
    const send = client.send.bind(client);
    client.send = ((command: never) => attempt(() => send(command))) as typeof client.send;
    const files = async (): Promise<ArchiveFiles> => {
      const real = await archive.files();
      return {
        read: (key) => attempt(() => real.read(key)),
        write: (key, bytes) => attempt(() => real.write(key, bytes)),
      };
    };
    return { client, files, calls: () => calls };
  }

  /** Restores the table as it was before a run. */
  async function restore(before: Awaited<ReturnType<typeof items>>): Promise<void> {
    for (const { a, sk } of await items())
      await database.client.send(new DeleteCommand({ TableName: table, Key: { a, sk } }));
    for (const Item of before) await database.client.send(new PutCommand({ TableName: table, Item }));
  }

  it.each([false, true])(
    `neither loses nor repeats a row after a crash at any call (after its effect: %j), and the next run finishes (SEED=${seed})`,
    async (isAfter) => {
      await here.live(3);
      const whole = await here.history();
      const before = await items();
      const undisturbed = dying(Infinity, isAfter);
      await here
        .archiver(undisturbed.client, undisturbed.files)
        .archive(here.account.id, here.account.clock.now(), never);
      await restore(before);
      expect(undisturbed.calls()).toBeGreaterThan(10);
      const calls = times(undisturbed.calls(), (call) => call + 1);
      for (const at of someOf(calls, 4, seed)) {
        const { client, files } = dying(at, isAfter);
        const run = here.archiver(client, files).archive(here.account.id, here.account.clock.now(), never);
        await expect(run).rejects.toThrow('the run died');
        expect([at, await here.history()]).toEqual([at, whole]);
        expect([at, await findings('audit')]).toEqual([at, []]);
        await here.archiveNow();
        expect([at, await here.history()]).toEqual([at, whole]);
        expect((await here.inTable())[0]).toBeGreaterThan(partRows);
        await restore(before);
      }
    },
    patience,
  );

  it('archives every row once, even if several runs are concurrent', async () => {
    await here.live(5);
    const whole = await here.history();
    await Promise.all([1, 2, 3, 4].map(() => here.archiveNow()));
    await here.archiveNow();
    expect(await here.history()).toEqual(whole);
    expect(await findings('audit')).toEqual([]);
  });

  it('stops at a missing row, and continues after the projector has written it', async () => {
    await here.live(4);
    const whole = await here.history();
    const Key = rowKey(here.account.id, 5);
    const late = whole.find(({ seq }) => seq === 5)!;
    await database.client.send(new DeleteCommand({ TableName: table, Key }));
    await here.archiveNow();
    expect((await here.inTable())[0]).toBe(6);
    expect((await here.history()).map(({ seq }) => seq)).toEqual(
      whole.map(({ seq }) => seq).filter((seq) => seq !== 5),
    );
    await ledgerStore(database.client, { ledger: table, accounts: tables.accounts.name }, '').append(late, true);
    expect(await here.history()).toEqual(whole);
    await here.archiveNow();
    expect((await here.inTable())[0]).toBeGreaterThan(6);
    expect(await here.history()).toEqual(whole);
  });

  it('keeps the newest row of an account that has been idle for years', async () => {
    await here.account.call(credits(10), credits(3));
    await here.account.project();
    here.account.clock.seconds += 1000 * day;
    await here.archiveNow();
    const whole = await here.history();
    expect(await here.inTable()).toEqual([whole[0]!.seq]);
    expect(whole.map(({ seq }) => seq)).toEqual([2, 1]);
  });

  it('stops when it is aborted', async () => {
    await here.live(4);
    const whole = await here.history();
    expect(await here.archiver().archive(here.account.id, here.account.clock.now(), AbortSignal.abort())).toBe(0);
    expect(await here.inTable()).toHaveLength(whole.length);
  });
});
