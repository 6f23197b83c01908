import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { auditor } from '#domain/billing/auditor.ts';
import { creditsView } from '#domain/billing/balance.ts';
import { grantCredits } from '#domain/billing/grants.ts';
import { projectLedger } from '#domain/billing/ledger.ts';
import { statementService } from '#domain/billing/statements.ts';
import { archivedLedger } from '#repositories/billing/archive.ts';
import { ledgerStore } from '#repositories/billing/ledger.ts';
import { statementStore } from '#repositories/billing/statements.ts';
import { meterImageOf } from '#repositories/meter/meter-item.ts';
import { startTestDatabase, useTestDatabase } from '#test/database/database.ts';
import { atLength, patience, times } from '#test/many.ts';
import { type LedgerAccount, noFiles, openLedgerAccount } from '#test/meter/ledger-account.ts';
import { credits } from '#test/meter/meters.ts';

const database = useTestDatabase();
const names = { ledger: tables.ledger.name, accounts: tables.accounts.name };
const ledgerOf = ({ client }: Pick<typeof database, 'client'>) => ledgerStore(client, names, 'http://127.0.0.1');

const usageStore = () =>
  statementStore(database.client, tables.ledger.name, archivedLedger(database.client, tables.ledger.name, noFiles));

/** Two months with calls of two services, a subscription, a top-up and a renewal. */
async function busyAccount(url: string): Promise<LedgerAccount> {
  const account = await openLedgerAccount(url);
  const { id, clock, meters, subscriptions } = account;
  await subscriptions.create(id, 'dev_pass');
  for (let day = 0; day < 12; day++) {
    await account.call(credits(30), credits(day), day % 2 === 0 ? 'chat' : 'translation');
    await account.call(credits(1), 0);
    clock.seconds += 3 * 86_400;
  }
  await meters.change(id, clock.now(), (meter) => grantCredits(meter, credits(50), clock.seconds));
  await account.current();
  return account;
}

async function itemsOfLedger(of: typeof database): Promise<unknown[]> {
  const { Items = [] } = await of.client.send(new ScanCommand({ TableName: tables.ledger.name, ConsistentRead: true }));
  return Items.map(({ a: _account, ...item }) => item).toSorted((one, other) =>
    String(one['sk']).localeCompare(String(other['sk'])),
  );
}

describe('the ledger', () => {
  let account: LedgerAccount;
  beforeAll(async () => {
    account = await busyAccount(database.url);
    await account.project();
  });
  afterAll(() => account.close());

  it('never changes a row, even if a later write targets it', async () => {
    const { seq } = await account.current();
    const before = await account.rows(seq);
    const ledger = ledgerOf(database);
    for (const row of before) await ledger.append({ ...row, amount: row.amount - 1, balance: 0, type: 'adjustment' });
    expect(await account.rows(seq)).toEqual(before);
  });

  it('has one row for each call with its request id and its cost, which is 0 if it failed', async () => {
    const charges = (await account.rows((await account.current()).seq)).filter(({ type }) => type === 'charge');
    expect(charges).toHaveLength(24);
    expect(new Set(charges.map(({ requestId }) => requestId)).size).toBe(24);
    expect(charges.filter(({ amount }) => Math.abs(amount) === 0)).toHaveLength(13);
    expect(charges.reduce((sum, { amount }) => sum - amount, 0)).toBe(credits(66));
  });

  it('counts every charged call once in its day', async () => {
    const usage = statementService(usageStore(), async () => new Map(), account.clock).usage;
    const { days } = await usage(account.id, async () => 0, { from: '2027-03-01', to: '2027-05-01', group: 'service' });
    const total = (service: string) =>
      days.filter((day) => day.service === service).reduce((sum, day) => sum + day.credits, 0);
    expect([total('chat'), total('translation')]).toEqual([30, 36]);
    expect(days.reduce((sum, day) => sum + day.calls, 0)).toBe(11);
  });

  it.each(['service', 'model', 'key'] as const)(
    'reports the same usage by %s as the sum of its rows',
    async (group) => {
      const usage = statementService(usageStore(), async () => new Map(), account.clock).usage;
      const range = { from: '2027-03-01', to: '2027-05-01' };
      const field = group === 'key' ? 'keyId' : group;
      const sums = (days: Awaited<ReturnType<typeof usage>>['days']) => {
        const all = new Map<string, [number, number]>();
        for (const day of days) {
          const name = `${day.date} ${String(day[field])}`;
          const [calls, credits] = all.get(name) ?? [0, 0];
          all.set(name, [calls + day.calls, credits + day.credits]);
        }
        return all;
      };
      const { days } = await usage(account.id, async () => 0, { ...range, group });
      expect(sums(days)).toEqual(sums((await usage(account.id, async () => 0, range)).days));
      expect(sums(days).size).toBe(days.length);
    },
  );
});

describe('the projector', () => {
  it(
    'writes the same ledger and daily totals for stream events in any order, with any repeats',
    async () => {
      const account = await busyAccount(database.url);
      const images = account.images.map(meterImageOf);
      const orders = fc.tuple(
        fc.shuffledSubarray([...images.keys()], { minLength: images.length }),
        fc.array(fc.nat(images.length - 1), { maxLength: 30 }),
      );
      const inOrder = await startTestDatabase();
      for (const image of images) await projectLedger(ledgerOf(inOrder), image, account.clock.now());
      const expected = await itemsOfLedger(inOrder);
      await fc.assert(
        fc.asyncProperty(orders, fc.infiniteStream(fc.boolean()), async ([order, repeats], repeatsNow) => {
          const there = await startTestDatabase();
          const store = ledgerOf(there);
          const again = [...repeats];
          for (const index of order) {
            await projectLedger(store, images[index]!, account.clock.now());
            if (repeatsNow.next().value && again.length > 0)
              await projectLedger(store, images[again.pop()!]!, account.clock.now());
          }
          for (const index of again) await projectLedger(store, images[index]!, account.clock.now());
          expect(await itemsOfLedger(there)).toEqual(expected);
          await there.close();
        }),
        { numRuns: atLength(3, 100) },
      );
      expect(expected).toHaveLength(images.length + 1 + 3 * 11);
      await inOrder.close();
      await account.close();
    },
    patience,
  );
});

describe('the ledgers of many accounts', () => {
  it(
    'add up to the displayed balances, and the audit finds no differences',
    async () => {
      const own = await startTestDatabase();
      const accounts = await Promise.all(times(atLength(4, 300), () => busyAccount(own.url)));
      for (const account of accounts) {
        await account.project();
        const meter = await account.current();
        const rows = await account.rows(meter.seq);
        const fold = rows.reduce((sum, { amount }) => sum + amount, 0);
        expect(creditsView(meter).balance).toBe(Math.floor(fold / 1_000_000));
        expect(fold).toBe(rows.at(-1)?.balance);
      }
      const { audit, rebuild } = auditor(accounts[0]!.reads());
      const nothing = (finding: unknown) => expect.fail(JSON.stringify(finding));
      const wellKept = { accounts: accounts.length, differing: 0, behind: 0 };
      expect(await audit(nothing)).toEqual(wellKept);
      expect(await rebuild(nothing)).toEqual(wellKept);
      for (const account of accounts) await account.close();
      await own.close();
    },
    patience,
  );
});
