import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedLine } from '#contract/platform/request-record.ts';
import { tables } from '#contract/platform/resources.ts';
import { requestLog } from '#domain/requests/request-log.ts';
import { requestStore } from '#repositories/requests/requests.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { atLength, patience, times } from '#test/many.ts';

const database = useTestDatabase();
const now = Date.UTC(2027, 0, 31);
const store = () => requestStore(database.client, tables.requests.name);
const log = () => requestLog(store(), async () => new Map(), { now: () => now });

let accounts = 70_000_000;

const outcomes = [
  { status: 200 },
  { status: 200, code: 'MODEL_ERROR', detail: 'The model stopped.' },
  { status: 400, code: 'INVALID_FORMAT', detail: 'temperature must be at most 2.' },
  { status: 429, code: 'RATE_LIMIT_EXCEEDED', detail: 'Too many requests in this minute.' },
  { status: 502, code: 'MODEL_ERROR', detail: 'The model could not be reached.' },
] as const;

/** A request, `age` seconds before now. */
function lineOf(accountId: number, age: number, { status, ...error }: (typeof outcomes)[number]): RecordedLine {
  const detail = 'detail' in error ? { detail: error.detail } : {};
  const code = 'code' in error ? { code: error.code } : {};
  const record = { at: now - age * 1000, service: 'chat', isStream: false, headers: {}, ...detail } as const;
  return { requestId: `request${age}`, accountId, status, keyId: 'key', latency: 5, cost: 0, record, ...code };
}

async function filled(lines: (accountId: number) => RecordedLine[]): Promise<number> {
  const accountId = (accounts += 1);
  const all = lines(accountId);
  for (let at = 0; at < all.length; at += 50)
    await Promise.all(all.slice(at, at + 50).map((line) => store().put(line, now + 1e9)));
  return accountId;
}

type Query = Partial<Parameters<ReturnType<typeof log>['list']>[1]>;

/** Ids on all pages, and the number of pages. */
async function search(accountId: number, query: Query) {
  const ids: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await log().list(accountId, { limit: 200, ...query, cursor });
    ids.push(...page.requests.map(({ requestId }) => requestId));
    expect(page.nextCursor ?? 'none').toMatch(/^[\w-]+$/);
    cursor = page.nextCursor ?? undefined;
    pages += 1;
  } while (cursor !== undefined);
  return { ids, pages };
}

describe('a search of requests', () => {
  it(
    'returns what matches, newest first, each once, for any page size',
    async () => {
      const made = fc.array(fc.constantFrom(...outcomes), { minLength: 1, maxLength: 60 });
      const query = fc.record({
        error: fc.constantFrom(undefined, 'MODEL', 'model could not', 'temperature', 'minute', 'absent'),
        status: fc.constantFrom(undefined, '2xx', '4xx', '400', '5xx'),
        requestId: fc.constantFrom(undefined, undefined, undefined, 'request7', 'request17'),
        limit: fc.integer({ min: 1, max: 9 }),
      });
      await fc.assert(
        fc.asyncProperty(made, query, async (some, asked) => {
          const accountId = await filled((id) => some.map((outcome, age) => lineOf(id, age, outcome)));
          const { error = '', status, requestId } = asked;
          const expected = some.flatMap((outcome, age) => {
            const text = 'code' in outcome ? `${outcome.code} ${outcome.detail}` : '';
            const isStatus = !status || String(outcome.status).startsWith(status.replace('xx', ''));
            const isFound = isStatus && text.toLowerCase().includes(error.toLowerCase());
            return isFound && (!requestId || requestId === `request${age}`) ? [`request${age}`] : [];
          });
          expect((await search(accountId, asked)).ids).toEqual(expected);
        }),
        { numRuns: atLength(30, 500) },
      );
    },
    patience,
  );

  it(
    'reads at most 2,500 records per page, and returns a cursor even if it found nothing',
    { timeout: patience },
    async () => {
      const accountId = await filled((id) => times(2600, (age) => lineOf(id, age, outcomes[age === 2590 ? 4 : 0])));
      const first = await log().list(accountId, { limit: 50, requestId: 'request2590' });
      expect(first).toMatchObject({ requests: [], nextCursor: expect.any(String) });
      expect(Date.parse(first.searchedTo!)).toBe(now - 2495_000);
      expect(await search(accountId, { requestId: 'request2590' })).toEqual({ ids: ['request2590'], pages: 2 });
      // Failures have an index.
      expect(await search(accountId, { error: 'REACHED' })).toEqual({ ids: ['request2590'], pages: 1 });
    },
  );

  it('is limited to a time range, inclusive, of days or times', async () => {
    const accountId = await filled((id) => times(10, (age) => lineOf(id, age * 3600, outcomes[0])));
    const ids = async (query: Query) => (await search(accountId, query)).ids.length;
    expect(await ids({ from: '2027-01-30T22:00:00Z', to: '2027-01-30T23:00:00+00:00' })).toBe(2);
    expect(await ids({ from: '2027-01-30', to: '2027-01-30' })).toBe(9);
    expect(await ids({ from: '2027-01-31' })).toBe(1);
    await expect(ids({ from: '2027-01-30T23:00:00Z', to: '2027-01-30T22:00:00Z' })).rejects.toThrow('from must not');
  });
});
