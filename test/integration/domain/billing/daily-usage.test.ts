import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { type MeterImage, projectInOrder, projectLedger } from '#domain/billing/ledger.ts';
import { statementService } from '#domain/billing/statements.ts';
import { archivedLedger } from '#repositories/billing/archive.ts';
import { usageCounter } from '#repositories/billing/ledger-items.ts';
import { ledgerStore } from '#repositories/billing/ledger.ts';
import { statementStore } from '#repositories/billing/statements.ts';
import { meterImageOf } from '#repositories/meter/meter-item.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { atLength, patience } from '#test/many.ts';
import { type LedgerAccount, noFiles, openLedgerAccount } from '#test/meter/ledger-account.ts';
import { credits } from '#test/meter/meters.ts';

const database = useTestDatabase();
const table = tables.ledger.name;
const store = () => ledgerStore(database.client, { ledger: table, accounts: tables.accounts.name }, 'http://127.0.0.1');

let account: LedgerAccount;
let images: MeterImage[];
beforeAll(async () => {
  account = await openLedgerAccount(database.url);
  await account.subscriptions.create(account.id, 'pro_pass');
  for (let call = 0; call < 40; call++) {
    await account.call(credits(30), credits(call % 4), call % 3 === 0 ? 'chat' : 'translation');
    if (call % 10 === 9) account.clock.seconds += 86_400;
  }
  images = account.images.map(meterImageOf);
  await account.project();
});
afterAll(() => account.close());

let ids = 50_000_000;
const now = () => account.clock.now();
const ofAccount = (accountId: number) => images.map((image) => ({ ...image, accountId }));

/** Rows and usage of an account, as its owner reads them. */
async function ledgerOf(id: number) {
  const reads = statementStore(database.client, table, archivedLedger(database.client, table, noFiles));
  const { usage } = statementService(reads, async () => new Map(), account.clock);
  const range = { from: '2027-01-01', to: '2027-12-31' };
  const groups = [undefined, 'service', 'model', 'key'] as const;
  const { rows } = await reads.page(id, 1000, Number.MAX_SAFE_INTEGER);
  return {
    rows: rows.map(({ accountId: _account, ...row }) => row),
    usage: await Promise.all(groups.map(async (group) => (await usage(id, async () => 0, { ...range, group })).days)),
  };
}

/** A batch of the stream, a repeat of earlier records, an image from the retry queue, or a count between them. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ batch: fc.integer({ min: 1, max: 12 }) }) },
  fc.record({ repeat: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ retry: fc.nat(40) }),
  fc.constant({ count: true }),
);

type Step = { batch?: number; repeat?: number; retry?: number; count?: boolean };

describe('rows that are counted later', () => {
  it(
    'are the same rows and usage as rows that are counted when written, for any batches, repeats, retries and counts',
    async () => {
      const expected = await ledgerOf(account.id);
      expect(expected.usage.every((days) => days.length > 3)).toBe(true);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps: Step[]) => {
          const own = ofAccount((ids += 1));
          const { accountId } = own[0]!;
          let done = 0;
          const deliver = async (from: number, to: number) => {
            if (to > from) await projectInOrder(store(), own.slice(from, to), now());
          };
          for (const { batch, repeat, retry, count } of steps) {
            if (batch) await deliver(done, (done = Math.min(own.length, done + batch)));
            if (repeat) await deliver(Math.max(0, done - repeat), done);
            if (retry !== undefined) await projectLedger(store(), own[retry]!, now());
            if (count) await store().count(accountId);
          }
          await deliver(done, own.length);
          expect(await ledgerOf(accountId)).toEqual(expected);
          await Promise.all([store().count(accountId), store().count(accountId)]);
          expect(await ledgerOf(accountId)).toEqual(expected);
        }),
        { numRuns: atLength(12, 200) },
      );
    },
    patience,
  );

  it('are counted after at most 128 and a batch, and once by counts at the same time', async () => {
    const accountId = (ids += 1);
    const [first] = ofAccount(accountId);
    const charge = {
      type: 'charge',
      at: Math.floor(now() / 1000),
      amount: -1,
      service: 'chat',
      model: 'svc-1',
    } as const;
    const calls = Array.from({ length: 300 }, (_, call) => ({
      ...first!,
      seq: call + 1,
      entries: [{ ...charge, keyId: `key-${call % 60}` }],
    }));
    for (let at = 0; at < calls.length; at += 100) await projectInOrder(store(), calls.slice(at, at + 100), now());
    const { through, rowsAfter } = usageCounter(database.client, table);
    expect(await through(accountId)).toBeGreaterThan(0);
    expect((await rowsAfter(accountId, await through(accountId))).rows.length).toBeLessThanOrEqual(128);
    await Promise.allSettled([store().count(accountId), store().count(accountId)]);
    await store().count(accountId);
    expect([await through(accountId), await rowsAfter(accountId, 300)]).toEqual([300, { rows: [], newest: 300 }]);
    const { usage } = await ledgerOf(accountId);
    expect(usage.map((days) => days.reduce((sum, { calls: counted }) => sum + counted, 0))).toEqual(Array(4).fill(300));
  });

  it('start after the rows of an account that were counted when written', async () => {
    const own = ofAccount((ids += 1));
    const { accountId } = own[0]!;
    for (const image of own.slice(0, 20)) await projectLedger(store(), image, now());
    await projectInOrder(store(), own.slice(20), now());
    const expected = await ledgerOf(account.id);
    expect(await ledgerOf(accountId)).toEqual(expected);
    await store().count(accountId);
    expect(await ledgerOf(accountId)).toEqual(expected);
  });
});
