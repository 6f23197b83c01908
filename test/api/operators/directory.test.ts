import { beforeAll, describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { rowsOf } from '#test/database/rows.ts';
import { useOperator } from '#test/requests/operator-actions.ts';
import { chat, code, type Person, usePerson } from '#test/service/service.ts';

const { service, operator, suspend } = useOperator();
const [spender, suspended] = [usePerson(service, { planRank: 4 }), usePerson(service, { planRank: 2 })];
let unconfirmed: Pick<Person, 'id' | 'cookie' | 'email' | 'password'>;

const list = async (query = '', cookie = operator.cookie) =>
  service.call('GET', `/api/operator/directory${query}`, { cookie });
const update = async () => (await services().operators()).directory().update();
const idsOf = async (query: string): Promise<number[]> =>
  (await list(query)).body.data.accounts.map(({ id }: { id: number }) => id);

beforeAll(async () => {
  unconfirmed = await service.registered();
  for (let calls = 0; calls < 3; calls++)
    await service.call('POST', '/v1/chat/completions', { key: spender.key, body: chat() });
  await suspend(suspended);
});

describe('GET /api/operator/directory', () => {
  it('is empty and says so before the first update, which fills it with the existing accounts', async () => {
    const { nextUpdateAt, ...empty } = (await list()).body.data;
    expect(empty).toEqual({ accounts: [], nextCursor: null, totals: null, updatedAt: null });
    // An hour after the service has started.
    const seconds = (Date.parse(nextUpdateAt) - Date.now()) / 1000;
    expect([seconds > 3500, seconds <= 3600]).toEqual([true, true]);
    await update();
    const { data } = (await list()).body;
    const accounts = new Map(data.accounts.map((account: { id: number }) => [account.id, account]));
    expect(accounts.get(spender.id)).toEqual({
      id: spender.id,
      email: spender.email,
      name: expect.stringMatching(/^Person/),
      state: 'active',
      plan: 'pro_pass',
      created_at: expect.any(String),
      spent: 3,
      balance: (await services().metering().find(spender.id))!.spendable / 1_000_000,
    });
    expect(accounts.get(unconfirmed.id)).toMatchObject({ state: 'unconfirmed', plan: 'freemium', spent: 0 });
    expect(data.totals).toMatchObject({ active: 1, spent: 3, failing: 0, states: { suspended: 1, deleted: 0 } });
    expect(data.totals.new).toBe(data.totals.accounts);
    expect(Date.parse(data.updatedAt)).toBeGreaterThan(Date.now() - 60_000);
  });

  it('filters by plan, state and day, and sorts by spending and balance', async () => {
    expect(await idsOf('?state=suspended')).toEqual([suspended.id]);
    expect(await idsOf('?state=unconfirmed')).toEqual([unconfirmed.id]);
    expect(await idsOf('?state=active&plan=freemium')).toContain(operator.id);
    expect((await idsOf('?sort=spending'))[0]).toBe(spender.id);
    expect((await idsOf('?sort=balance&state=active&plan=pro_pass')).slice(0, 2)).toContain(spender.id);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    expect(await idsOf(`?since=${tomorrow}`)).toEqual([]);
    for (const query of ['since=2026-01-01&sort=balance', 'state=rich', 'sort=name', 'cursor=x', 'limit=101'])
      expect([query, code(await list(`?${query}`))]).toEqual([query, '400 INVALID_FORMAT']);
    expect((await list('?state=rich')).body.detail).toBe(
      'state must be one of deleted, suspended, past_due, unconfirmed, active.',
    );
    expect((await list('?sort=name')).body.detail).toBe('sort must be one of newest, spending, balance.');
  });

  it('contains every account once over all pages', async () => {
    const all: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { data }: { data: any } = (
        await list(`?limit=2${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
      ).body;
      all.push(...data.accounts.map(({ id }: { id: number }) => id));
      cursor = data.nextCursor;
    }
    const users = (await rowsOf('accounts')).filter(({ sk }) => sk === 'user').map(({ id }) => id);
    expect(all).toHaveLength(users.length);
    expect(new Set<unknown>(all)).toEqual(new Set(users));
  });

  it('contains shared organizations, which have no address', async () => {
    const body = { name: 'Harbor Works' };
    const made = await service.call('POST', '/api/organizations', { cookie: spender.cookie, body });
    await update();
    const { accounts } = (await list('?limit=100')).body.data;
    const { id, createdAt } = made.body.data;
    expect(accounts.find((account: { id: number }) => account.id === id)).toEqual({
      id,
      email: null,
      name: 'Harbor Works',
      state: 'active',
      plan: 'freemium',
      created_at: createdAt,
      spent: 0,
      balance: expect.any(Number),
    });
    expect((await update()).written).toBe(0);
  });

  it('is empty after a forged cursor before the day', async () => {
    const cursor = encodeURIComponent(`${'0'.repeat(20)}#${'0'.repeat(16)}`);
    expect(await idsOf(`?since=2026-01-01&cursor=${cursor}`)).toEqual([]);
  });

  it('is updated by a job, and forgets purged accounts', async () => {
    const { cookie, email, password, id } = unconfirmed;
    await service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });
    await service.post('/_local/clock', { advance: 'PT1H' });
    const { cookie: again } = await signedIn();
    expect((await list('?state=deleted', again)).body.data.accounts).toMatchObject([{ id, state: 'deleted' }]);
    await service.post('/_local/clock', { advance: 'P31D' });
    expect((await rowsOf('directory')).filter(({ a }) => a === id)).toEqual([]);
    expect((await list('?state=deleted', (await signedIn()).cookie)).body.data.accounts).toEqual([]);
  });

  it('writes nothing if nothing has changed', async () => {
    await update();
    const before = await rowsOf('directory');
    expect(await update()).toMatchObject({ written: 0, isDone: true });
    const isSummary = ({ a }: Record<string, unknown>) => a !== 0;
    expect((await rowsOf('directory')).filter(isSummary)).toEqual(before.filter(isSummary));
  });
});

async function signedIn(): Promise<{ cookie: string }> {
  const { email, password } = operator;
  const { headers } = await service.call('POST', '/api/auth/login', { body: { email, password } });
  return { cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}
