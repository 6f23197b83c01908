import { describe, expect, it } from 'vitest';
import type { LedgerRow } from '#domain/billing/ledger.ts';
import { type DailyUsage, statementService, type UsageQuestion } from '#domain/billing/statements.ts';
import { credits } from '#test/meter/meters.ts';

const clock = { now: () => Date.UTC(2027, 2, 31, 23, 59) };

/** A service over one page of rows, or of daily usage. Records the questions it was asked. */
function statements({
  rows = [],
  usage = [],
  next,
  newest = 0,
}: {
  rows?: LedgerRow[];
  usage?: DailyUsage[];
  next?: string;
  newest?: number;
}) {
  const asked: UsageQuestion[] = [];
  const page = async () => ({ rows, newest: rows[0]?.seq ?? 0, next: null });
  const service = statementService(
    {
      page,
      pageWhenWritten: page,
      usage: async (_, question) => {
        asked.push(question);
        return { rows: usage, next, newest };
      },
    },
    async (_, keyIds) => new Map(keyIds.flatMap((id) => (id === 'unknown' ? [] : [[id, id.length]]))),
    clock,
  );
  const ofAccount = (query: Parameters<typeof service.usage>[2]) => service.usage(1, async () => 7, query);
  return { asked, ...service, usage: ofAccount };
}

function row(about: Partial<LedgerRow>): LedgerRow {
  return { accountId: 1, seq: 1, balance: credits(9), type: 'charge', at: 0, amount: credits(-1), ...about };
}

async function entriesOf(rows: LedgerRow[]) {
  return (await statements({ rows }).page(1, Promise.resolve(rows.length), { limit: 50 })).entries;
}

describe('an entry of the credit history', () => {
  it('names the change of a subscription, with its date if it has one', async () => {
    const entries = await entriesOf([
      row({ type: 'adjustment', change: { kind: 'downgrade_scheduled', plan: 'developer', effectiveAt: 86_400 } }),
      row({ type: 'adjustment', change: { kind: 'resumed', plan: 'developer' }, payment: 'order-1' }),
    ]);
    expect(entries[0]?.change).toEqual({
      kind: 'downgrade_scheduled',
      plan: 'developer',
      effectiveAt: '1970-01-02T00:00:00.000Z',
    });
    expect(entries[1]).toMatchObject({ change: { kind: 'resumed', plan: 'developer' }, paymentId: 'order-1' });
    expect(entries[1]?.change).not.toHaveProperty('effectiveAt');
  });

  it('has only the fields of its kind, and null for the others', async () => {
    expect(await entriesOf([row({})])).toEqual([
      {
        seq: 1,
        at: '1970-01-01T00:00:00.000Z',
        type: 'charge',
        service: null,
        model: null,
        source: null,
        credits: -1,
        balance: 9,
        requestId: null,
        keyId: null,
      },
    ]);
  });

  it.each([
    ['failed', { service: 'sms' }],
    ['deleted', { service: 'transcription' }],
    ['unused', { service: 'transcription', job: { id: 'job', status: 'completed', cost: 1 } }],
    ['expired', { service: 'transcription', job: { id: 'job', status: 'expired', cost: 0 } }],
    ['failed', { service: 'transcription', job: { id: 'job', status: 'failed', cost: 0 } }],
  ] as const)('has the reason %s for a refund of %j', async (reason, about) => {
    expect(await entriesOf([row({ type: 'refund', amount: 1, ...about })])).toMatchObject([{ reason }]);
  });

  it('is not shown for a refund of 0 credits, or before the meter counts it', async () => {
    const rows = [row({ seq: 3 }), row({ seq: 2, type: 'refund', amount: 0 }), row({ seq: 1, amount: 0 })];
    const page = await statements({ rows }).page(1, Promise.resolve(2), { limit: 50 });
    expect(page.entries.map(({ seq }) => seq)).toEqual([1]);
  });
});

describe('a page of usage', () => {
  const counts = { calls: 1, cost: credits(1), inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  const last = '2027-03-01~';

  it('covers the last 30 days, or the 30 days up to a given one', async () => {
    const { asked, usage } = statements({});
    await usage({});
    await usage({ to: '2027-03-01' });
    expect(asked.map(({ from, to }) => [from, to])).toEqual([
      ['2027-03-02', '2027-03-31'],
      ['2027-01-31', '2027-03-01'],
    ]);
  });

  it('covers the last 30 days of the time zone', async () => {
    const { asked, usage } = statements({});
    expect(await usage({ timezone: 'Pacific/Kiritimati' })).toMatchObject({ timezone: 'Pacific/Kiritimati' });
    expect(asked.map(({ from, to }) => [from, to])).toEqual([['2027-03-03', '2027-04-01']]);
  });

  it('reports that the latest calls are missing only if it covers today', async () => {
    const covering = [{}, { to: '2027-03-30' }, { from: '2027-04-01', to: '2027-04-02' }];
    const behind = await Promise.all(covering.map((query) => statements({ newest: 6 }).usage(query)));
    expect(behind.map(({ isBehind }) => isBehind)).toEqual([true, undefined, undefined]);
    expect(await statements({ newest: 7 }).usage({})).not.toHaveProperty('isBehind');
  });

  it('covers 1 to 366 days, and is refused for any other number', async () => {
    const { usage } = statements({});
    expect(await usage({ from: '2027-03-01', to: '2027-03-01' })).toMatchObject({ days: [] });
    expect(await usage({ from: '2027-01-01', to: '2028-01-01' })).toMatchObject({ days: [] });
    for (const query of [
      { from: '2027-03-02', to: '2027-03-01' },
      { from: '2027-01-01', to: '2028-01-02' },
    ]) {
      await expect(usage(query)).rejects.toMatchObject({ code: 'INVALID_FORMAT' });
    }
  });

  it('continues at the cursor of the previous page', async () => {
    const { asked, usage } = statements({ next: last });
    const { nextCursor } = await usage({});
    await usage({ cursor: nextCursor });
    expect(asked.map(({ after }) => after)).toEqual([undefined, last]);
    expect(await statements({}).usage({})).not.toHaveProperty('nextCursor');
  });

  it.each(['', 'chat', last, btoa('2027-03-0'), btoa(`x${last}`), btoa('2027-03-01'), `${btoa(last)}=`])(
    'is refused for the cursor %j, which no page returned',
    async (cursor) => {
      await expect(statements({}).usage({ cursor })).rejects.toMatchObject({
        code: 'INVALID_FORMAT',
        message: 'cursor must be the nextCursor of the previous page.',
      });
    },
  );

  it('adds up each day only by the selected group, with tokens if a call reported any', async () => {
    const call = { date: '2027-03-01', service: 'chat', model: 'svc-1', keyId: 'key-1', ...counts };
    const usage = [call, { ...call, model: 'svc-2', inputTokens: 3, cachedTokens: 2, outputTokens: 1 }];
    const days = { date: '2027-03-01', service: 'chat', calls: 2, credits: 2 };
    expect((await statements({ usage }).usage({ group: 'service' })).days).toEqual([
      { ...days, tokens: { input: 3, cached: 2, output: 1 } },
    ]);
    expect((await statements({ usage: [call, call] }).usage({ group: 'service' })).days).toEqual([days]);
    expect((await statements({ usage }).usage({})).days).toHaveLength(2);
  });
});
