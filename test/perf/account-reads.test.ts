import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { usagePrefixes } from '#repositories/billing/ledger-items.ts';
import { ledgerStore } from '#repositories/billing/ledger.ts';
import { requestStore } from '#repositories/requests/requests.ts';
import { fillLedger } from '#test/database/fill.ts';
import { atLength, patience } from '#test/many.ts';
import { useCountedApi } from '#test/service/watched/counted-api.ts';

const api = useCountedApi();

const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };

describe('GET /api/credits', () => {
  it('returns the balance in two round trips, and reports when the list is behind', async () => {
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

  it('omits entries that are newer than the balance', async () => {
    const { key, accountId } = await api.account();
    const names = { ledger: tables.ledger.name, accounts: tables.accounts.name };
    const ledger = ledgerStore(api.client, names, 'http://127.0.0.1');
    const row = { accountId, type: 'grant', at: 1_800_000_000, amount: 1, balance: 1 } as const;
    for (const seq of [1, 2]) await ledger.append({ ...row, seq });
    const { data } = await api.get('/api/credits?limit=1', key);
    expect([data.entries, data.nextCursor]).toEqual([[], '2']);
  });
});

/** Parts of the day with calls: before and after midnight in Kathmandu, 18:15 UTC. */
const calledParts = [54, 55];

/** Writes the usage rows of 50 keys and 5 services for this many days up to the end of 2027. */
async function fillUsage(accountId: number, days: number, prefixes: readonly (keyof typeof usagePrefixes)[]) {
  const dates = Array.from({ length: days }, (_, age) =>
    new Date(Date.UTC(2027, 11, 31 - age)).toISOString().slice(0, 10),
  );
  const services = ['audio', 'chat', 'completion', 'embeddings', 'translation'];
  const keys = Array.from({ length: 50 }, (_, index) => `key-${String(index).padStart(18, '0')}`);
  const counted = (sk: string, date: string, calls: number) => {
    const tokens = { inputTokens: calls * 1e6, cachedTokens: calls * 1e5, outputTokens: calls * 1e5 };
    const parts = calledParts.flatMap((part) => [
      [`c${part}`, calls / 2],
      [`m${part}`, (calls * 1e6) / 2],
      [`i${part}`, (calls * 1e6) / 2],
      [`k${part}`, (calls * 1e5) / 2],
      [`o${part}`, (calls * 1e5) / 2],
    ]);
    return { a: accountId, sk, date, calls, cost: calls * 1e6, ...tokens, ...Object.fromEntries(parts) };
  };
  const kinds = services.map((service) => ({ service, model: 'svc-1' }));
  const rows = dates.flatMap((date) => {
    const sk = (prefix: keyof typeof usagePrefixes, ...parts: string[]) =>
      usagePrefixes[prefix] + [date, ...parts].join('#');
    return [
      ...kinds.map((kind) => ({ ...counted(sk('kind', kind.service, kind.model), date, 50 * 2), ...kind })),
      ...keys.map((keyId) => ({ ...counted(sk('key', keyId), date, 5 * 2), keyId })),
      ...kinds.flatMap((kind) =>
        keys.map((keyId) => ({ ...counted(sk('detail', kind.service, kind.model, keyId), date, 2), ...kind, keyId })),
      ),
    ];
  });
  const kept = rows.filter(({ sk }) => prefixes.some((id) => sk.startsWith(usagePrefixes[id])));
  await fillLedger(api, kept);
}

/** Every page of a query, with its bytes and round trips. */
async function usagePages(key: string, query: string) {
  const pages: Awaited<ReturnType<typeof api.get>>[] = [];
  let cursor: string | undefined = '';
  while (cursor !== undefined) {
    const page = await api.get(`/api/usage?${query}${cursor && `&cursor=${cursor}`}`, key);
    expect(page.status).toBe(200);
    pages.push(page);
    cursor = page.data.nextCursor;
  }
  const days = pages.flatMap(({ data }) => data.days as { date: string; keyId?: string; calls: number }[]);
  return { pages, days, calls: days.reduce((sum, { calls }) => sum + calls, 0) };
}

describe('GET /api/usage', () => {
  const year = 'from=2027-01-01&to=2027-12-31';

  /** The oldest day with group rows is computed from the details, which do not exist here. */
  it(
    'returns a year of 50 keys by group, in pages of at most 1 MB and five round trips',
    { timeout: patience },
    async () => {
      const { key, accountId } = await api.account();
      await fillUsage(accountId, 365, ['kind', 'key']);
      const reads = [
        ['UTC', 'key', 50 * 364, 5],
        ['Asia/Kathmandu', 'key', 50 * 364, 8],
        ['UTC', 'service', 5 * 364, 1],
        ['UTC', 'model', 364, 1],
        // The keys have no records, so that all calls belong to nobody. Each page reads the records in one round trip.
        ['UTC', 'member', 364, 5],
        ['Asia/Kathmandu', 'service', 5 * 364, 2],
        ['America/Los_Angeles', 'key', 50 * 364, 8],
      ] as const;
      for (const [zone, group, rows, pages] of reads.slice(0, atLength(2, reads.length))) {
        const read = await usagePages(key, `${year}&group=${group}&timezone=${zone}`);
        expect([zone, group, read.days.length]).toEqual([zone, group, rows]);
        expect(read.pages.length).toBeLessThanOrEqual(pages);
        // In Kathmandu the last calls belong to 2028.
        expect(read.calls).toBe(250 * (2 * 364 - Number(zone === 'Asia/Kathmandu')));
        expect(new Set(read.days.map((day) => JSON.stringify({ ...day, calls: 0, credits: 0, tokens: 0 }))).size).toBe(
          rows,
        );
        expect(Math.max(...read.pages.map(({ bytes }) => bytes))).toBeLessThan(1_000_000);
        expect(Math.max(...read.pages.map(({ roundTrips }) => roundTrips))).toBeLessThanOrEqual(
          group === 'member' ? 6 : 5,
        );
      }
    },
  );

  it('splits detailed usage into pages, and computes groups for days without group rows', async () => {
    const { key, accountId } = await api.account();
    await fillUsage(accountId, 30, ['detail']);
    const { pages, days, calls } = await usagePages(key, 'from=2027-12-01&to=2027-12-31');
    expect([pages.length, days.length, calls]).toEqual([2, 30 * 250, 30 * 250 * 2]);
    expect(new Set(days.map((day) => JSON.stringify(day))).size).toBe(days.length);
    expect(Math.max(...pages.map(({ bytes }) => bytes))).toBeLessThan(1_000_000);
    await fillUsage(accountId, 10, ['kind', 'key']);
    for (const [group, perDay] of Object.entries({ service: 5, key: 50 })) {
      const grouped = await usagePages(key, `from=2027-12-01&to=2027-12-31&group=${group}`);
      expect([grouped.days.length, grouped.calls]).toEqual([30 * perDay, 30 * 250 * 2]);
    }
  });

  it('reports that the latest calls are not included yet', async () => {
    const { key } = await api.account();
    await api.post('/v1/chat/completions', key, chat);
    const behind = await api.get('/api/usage', key);
    expect(behind).toMatchObject({ status: 200, data: { days: [], isBehind: true } });
    expect((await api.get('/api/usage?to=2025-01-31', key)).data).not.toHaveProperty('isBehind');
  });

  it.each(['x', 'bm9uZQ', Buffer.from('2027-01-01').toString('base64url')])(
    'refuses the cursor %s, which no page has returned',
    async (cursor) => {
      const { key } = await api.account();
      expect((await api.get(`/api/usage?cursor=${cursor}`, key)).status).toBe(400);
    },
  );
});

describe('GET /api/requests', () => {
  /** Writes `count` requests, one second apart, newest last. */
  async function fillRequests(accountId: number, count: number, statusOf: (index: number) => number) {
    const store = requestStore(api.client, tables.requests.name);
    const now = Date.now();
    const about = { accountId, keyId: 'some-key', latency: 5, cost: 0 };
    const line = (index: number) => {
      const record = { at: now - (count - index) * 1000, service: 'chat', isStream: false, headers: {} } as const;
      return { requestId: `request${index}`, status: statusOf(index), ...about, record };
    };
    for (let first = 0; first < count; first += 50) {
      const some = Array.from({ length: Math.min(50, count - first) }, (_, index) => line(first + index));
      await Promise.all(some.map((one) => store.put(one, now + 86_400_000)));
    }
  }

  /** Reads a page, and counts the stored items read for it. */
  async function examined(path: string, key: string) {
    let items = 0;
    const send = vi.spyOn(DynamoDBDocumentClient.prototype, 'send');
    const page = await api.get(path, key);
    for (const [index, [command]] of send.mock.calls.entries()) {
      if (!(command instanceof QueryCommand)) continue;
      const output = (await send.mock.results[index]?.value) as { ScannedCount?: number };
      items += output.ScannedCount ?? 0;
    }
    send.mockRestore();
    return { ...page, items };
  }

  it('reads about as many items as a page contains, and the names of their keys once', async () => {
    const { key, accountId } = await api.account();
    await fillRequests(accountId, 100, () => 200);
    const { status, data, items, operations } = await examined('/api/requests?limit=5', key);
    expect([status, data.requests.length]).toEqual([200, 5]);
    expect(items).toBeLessThanOrEqual(7);
    expect(operations).toEqual(['GetItem', 'Query', 'BatchGetItem']);
    const next = await examined(`/api/requests?limit=5&cursor=${data.nextCursor}`, key);
    const ids = [94, 93, 92, 91, 90].map((index) => `request${index}`);
    expect(next.data.requests.map(({ requestId }: any) => requestId)).toEqual(ids);
    expect(next.items).toBeLessThanOrEqual(7);
  });

  it('finds rare failures in one page, and reads no other requests', async () => {
    const { key, accountId } = await api.account();
    const failing: Record<number, number> = { 3: 502, 700: 502, 5: 429, 6: 400 };
    await fillRequests(accountId, 800, (index) => failing[index] ?? 200);
    for (const [status, ids, maxItems] of [
      ['5xx', ['request700', 'request3'], 2],
      ['4xx', ['request6', 'request5'], 2],
      ['429', ['request5'], 2],
    ] as const) {
      const { data, items } = await examined(`/api/requests?status=${status}`, key);
      expect([status, data.requests.map(({ requestId }: any) => requestId)]).toEqual([status, ids]);
      expect(data.nextCursor).toBeNull();
      expect(items).toBeLessThanOrEqual(maxItems);
    }
  });

  it('reads no key names for an empty page', async () => {
    const { key } = await api.account();
    expect((await api.get('/api/requests', key)).operations).toEqual(['GetItem', 'Query']);
  });
});
