import { describe, expect, it } from 'vitest';
import {
  addRow,
  emptyTally,
  imageOf,
  type LedgerRow,
  type LedgerStore,
  projectInOrder,
  projectLedger,
} from '#domain/billing/ledger.ts';
import type { LedgerEntry, Meter } from '#domain/meter/meter.ts';
import { credits, meterWith } from '#test/meter/meters.ts';

/** 35 days after the end of March: rows of March may be archived. */
const now = Date.UTC(2027, 4, 6);
const march = Date.UTC(2027, 2, 31) / 1000;
const april = Date.UTC(2027, 3, 1) / 1000;

/** A store that records what is written, in order. */
function recordingStore() {
  const log: unknown[] = [];
  const store: LedgerStore = {
    append: async ({ seq, balance }, mayBeArchived) => void log.push(['row', seq, balance, mayBeArchived]),
    insert: async (rows) => void log.push(['rows', rows.map(({ seq }) => seq)]),
    count: async () => void log.push(['count']),
    markKeyUsed: async (_, keyId, at) => void log.push(['used', keyId, at]),
    announce: async () => void log.push(['alert']),
    announceChange: async (_, { kind }) => void log.push(['change', kind]),
    announceEnd: async (_, end) => void log.push(['end', end]),
    announceUnpaid: async (_, end) => void log.push(['unpaid', end]),
  };
  return { log, store };
}

/** Projects entries that one write of a meter added. Returns what was stored, in order. */
async function projected(meter: Meter, entries: readonly LedgerEntry[]) {
  const { log, store } = recordingStore();
  const rows = await projectLedger(store, imageOf(meter, entries), now, async (id) => void log.push(['low', id]));
  return { log, rows };
}

const charge = (at: number, amount = -1): LedgerEntry => ({ type: 'charge', at, amount });
const change = (kind: 'ending' | 'ended_unpaid' | 'renewed', effectiveAt?: number): LedgerEntry => ({
  type: 'adjustment',
  at: april,
  amount: 0,
  change: { kind, plan: 'dev_pass', ...(effectiveAt !== undefined && { effectiveAt }) },
});

describe('the ledger of a write', () => {
  it('has its entries as consecutive rows with the balance after each, and may be archived in a closed month', async () => {
    const { log, rows } = await projected(meterWith(10, { seq: 7 }), [charge(march, -2), charge(april, -3)]);
    expect(log).toEqual([
      ['row', 6, 13, true],
      ['row', 7, 10, false],
    ]);
    expect(rows.map(({ seq, amount, balance }: LedgerRow) => [seq, amount, balance])).toEqual([
      [6, -2, 13],
      [7, -3, 10],
    ]);
  });

  it('records when a key was used, in milliseconds', async () => {
    const { log } = await projected(meterWith(10), [{ ...charge(april), keyId: 'key-1' }]);
    expect(log).toContainEqual(['used', 'key-1', april * 1000]);
  });

  it('announces the end of a plan and an unpaid plan, but no other change', async () => {
    const meter = meterWith(0);
    const end = { plan: 'dev_pass', from: april + 9, at: april };
    const told = async (entry: LedgerEntry) => (await projected(meter, [entry])).log.slice(1);
    expect(await told(change('ending', april + 9))).toEqual([['end', end]]);
    expect(await told(change('ended_unpaid', april + 9))).toEqual([['unpaid', end]]);
    expect(await told(change('renewed', april + 9))).toEqual([]);
    expect(await told(change('ending'))).toEqual([]);
  });

  it('starts the automatic top-up only with the write that crosses its threshold', async () => {
    const isLow = async (spendable: number, amount: number, about: Partial<Meter> = { topUpBelow: 5 }) =>
      (await projected(meterWith(spendable, about), [charge(april, amount)])).log.some(
        (one) => String(one) === `low,${id}`,
      );
    const id = meterWith(0).accountId;
    const about = { topUpBelow: 5, accountId: id };
    expect([
      await isLow(credits(5) - 1, -1, about),
      await isLow(credits(5), -1, about),
      await isLow(credits(5) - 2, -1, about),
      await isLow(0, -1, { accountId: id }),
    ]).toEqual([true, false, false, false]);
  });
});

describe('the ledger of consecutive writes', () => {
  it('is inserted together, except for rows of a month that may be archived, and counted every 128 rows', async () => {
    const imageAt = (seq: number, at: number) => imageOf(meterWith(10, { seq }), [{ ...charge(at), keyId: 'key-1' }]);
    const { log, store } = recordingStore();
    await projectInOrder(store, [imageAt(126, march), imageAt(127, april), imageAt(128, april)], now);
    expect(log).toEqual([['row', 126, 10, true], ['rows', [127, 128]], ['used', 'key-1', april * 1000], ['count']]);
    log.length = 0;
    await projectInOrder(store, [imageAt(129, april)], now);
    expect(log).toEqual([
      ['rows', [129]],
      ['used', 'key-1', april * 1000],
    ]);
  });
});

describe('a tally of rows', () => {
  it('keeps the first wrong balance', () => {
    const rows = [
      { seq: 1, amount: 2, balance: 2 },
      { seq: 2, amount: 2, balance: 5 },
      { seq: 3, amount: 2, balance: 9 },
    ];
    expect(rows.reduce(addRow, emptyTally)).toEqual({
      rows: 3,
      sum: 6,
      wrong: 'row 2 has the balance 5, the rows up to it add up to 4',
    });
  });
});
