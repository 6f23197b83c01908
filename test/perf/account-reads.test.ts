import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/tables.ts';
import { ledgerStore } from '#repositories/billing/ledger.ts';
import { startCountedApi } from '#test/service/watched/counted-api.ts';

let api: Awaited<ReturnType<typeof startCountedApi>>;
beforeAll(async () => {
  api = await startCountedApi();
});
afterAll(() => api.close());

const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };

describe('GET /api/credits', () => {
  it('returns the balance in two round trips and reports that the list is behind', async () => {
    const { key, accountId } = await api.account();
    const before = await api.get('/api/credits', key);
    await api.post('/v1/chat/completions', key, chat);
    const behind = await api.get('/api/credits?limit=1', key);
    expect(behind).toMatchObject({ status: 200, roundTrips: 2 });
    expect(behind.operations.toSorted()).toEqual(['GetItem', 'GetItem', 'Query']);
    expect(behind.data).toMatchObject({ balance: before.data.balance - 1, entries: [], isBehind: true });

    const names = { ledger: tables.ledger.name, accounts: tables.accounts.name };
    const ledger = ledgerStore(api.client, names, 'http://127.0.0.1');
    const row = { accountId, type: 'charge', at: 1_800_000_000, amount: 0, balance: 0 } as const;
    for (const seq of [1, 2]) await ledger.append({ ...row, seq });
    const current = await api.get('/api/credits?limit=1', key);
    expect(current).toMatchObject({ roundTrips: 2, data: { entries: [{ seq: 2 }], nextCursor: '2' } });
    expect(current.data).not.toHaveProperty('isBehind');
    expect((await api.get('/api/credits?cursor=2', key)).data).toEqual({
      ...current.data,
      entries: [expect.objectContaining({ seq: 1 })],
      nextCursor: null,
    });
  });

  it('leaves out entries that are newer than the balance', async () => {
    const { key, accountId } = await api.account();
    const names = { ledger: tables.ledger.name, accounts: tables.accounts.name };
    const ledger = ledgerStore(api.client, names, 'http://127.0.0.1');
    const row = { accountId, type: 'grant', at: 1_800_000_000, amount: 1, balance: 1 } as const;
    for (const seq of [1, 2]) await ledger.append({ ...row, seq });
    const { data } = await api.get('/api/credits?limit=1', key);
    expect([data.entries, data.nextCursor]).toEqual([[], '2']);
  });
});
