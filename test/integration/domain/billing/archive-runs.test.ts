import { describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { type ArchiveFiles, ledgerArchiver } from '#domain/billing/archive.ts';
import { projectLedger } from '#domain/billing/ledger.ts';
import { archiveStore } from '#repositories/billing/archive.ts';
import { ledgerStore } from '#repositories/billing/ledger.ts';
import { meterImageOf } from '#repositories/meter/meter-item.ts';
import { never, partRows, useArchivedAccount } from '#test/meter/archived-account.ts';
import { openLedgerAccount } from '#test/meter/ledger-account.ts';
import { credits } from '#test/meter/meters.ts';

const table = tables.ledger.name;

const { database, archive, here, usageOf } = useArchivedAccount();

describe('the projector', () => {
  it('neither writes nor counts an archived row again when the stream repeats its record', async () => {
    await here.live(4);
    await here.archiveNow();
    const before = [await here.inTable(), await usageOf(), await here.history()];
    const store = ledgerStore(database.client, { ledger: table, accounts: tables.accounts.name }, '');
    for (const image of here.account.images) await projectLedger(store, meterImageOf(image), here.account.clock.now());
    expect([await here.inTable(), await usageOf(), await here.history()]).toEqual(before);
  });
});

describe('the archiver of all accounts', () => {
  it('archives purged accounts, and reads at most two rows of an account without closed months', async () => {
    await here.live(4);
    const other = await openLedgerAccount(database.url, { at: here.account.clock.seconds });
    for (const cost of [1, 2, 3]) await other.call(credits(3), credits(cost));
    await other.project();
    const now = here.account.clock.now();
    await here.account.close();
    const whole = await here.history();
    const store = archiveStore(database.client, table, archive.files);
    const read = new Map<number, number>();
    const watched: typeof store = {
      ...store,
      async rowsAfter(id, seq, limit) {
        const rows = await store.rowsAfter(id, seq, limit);
        read.set(id, (read.get(id) ?? 0) + rows.length);
        return rows;
      },
    };
    expect(await ledgerArchiver(watched, partRows).run(now, never)).toBeGreaterThan(3);
    expect(read.get(other.id)).toBe(2);
    expect((await here.inTable())[0]).toBeGreaterThan(3);
    expect(await here.history()).toEqual(whole);
    await other.close();
  });

  it('archives other accounts if one fails, and reports the failure', async () => {
    await here.live(4);
    const other = await openLedgerAccount(database.url, { files: archive.files });
    for (const cost of [1, 2, 3]) await other.call(credits(3), credits(cost));
    await other.project();
    const files = async (): Promise<ArchiveFiles> => {
      const real = await archive.files();
      return {
        ...real,
        async write(key, bytes) {
          if (key.includes(`/${here.account.id}/`)) throw new Error('no bucket');
          await real.write(key, bytes);
        },
      };
    };
    const whole = await here.inTable();
    const run = here.archiver(database.client, files).run(here.account.clock.now(), never);
    await expect(run).rejects.toThrow('1 accounts could not be archived');
    expect(await here.inTable()).toEqual(whole);
    expect(await other.rows(Number.MAX_SAFE_INTEGER)).toHaveLength(1);
    await other.close();
  });

  it('resumes after the account at which the last run stopped, then starts again from the first', async () => {
    const others = await Promise.all(Array.from({ length: 12 }, () => openLedgerAccount(database.url)));
    await Promise.all([here.account, ...others].map((one) => one.project()));
    const store = archiveStore(database.client, table, archive.files);
    const all = await Array.fromAsync(store.accounts(undefined));
    expect(all.length).toBeGreaterThan(12);
    const stop = new AbortController();
    const looked: number[] = [];
    const watched = (signal?: AbortController) =>
      ledgerArchiver({
        ...store,
        async rowsAfter(id) {
          looked.push(id);
          if (looked.length === 2) signal?.abort();
          return [];
        },
      });
    await watched(stop).run(here.account.clock.now(), stop.signal);
    expect(looked.length).toBeLessThan(all.length);
    await watched().run(here.account.clock.now(), never);
    expect(looked.toSorted((one, next) => one - next)).toEqual(all.toSorted((one, next) => one - next));
    await watched().run(here.account.clock.now(), never);
    expect(looked).toHaveLength(2 * all.length);
    await Promise.all(others.map((one) => one.close()));
  });
});
