import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { operatorActions } from '#test/requests/operator-actions.ts';
import { chat, code, type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let operator: Person;
beforeAll(async () => {
  service = await startTestService();
  operator = await service.person();
  await (await services().operators()).actions().setRole(operator.email, 'operator');
});
afterAll(() => service.close());

const { act, suspend, grant } = operatorActions(
  () => service,
  () => operator,
);
const read = (path: string) => service.call('GET', `/api/operator/accounts${path}`, { cookie: operator.cookie });
const dataOf = async (path: string) => (await read(path)).body.data;
const find = (query: Record<string, string>) => read(`?${String(new URLSearchParams(query))}`);
const complete = (key: string, body: object = chat()) => service.call('POST', '/v1/chat/completions', { key, body });

describe('an operator finds an account', () => {
  it('by its address, its id, the beginning of one of its keys, and none of them more', async () => {
    const { id, email, key, keyId, cookie } = await service.person();
    const queries = [{ email }, { id: String(id) }, { keyPrefix: key.slice(0, 17) }, { keyPrefix: key.slice(0, 13) }];
    for (const query of queries) expect((await find(query as Record<string, string>)).body.data).toMatchObject({ id });
    await service.call('DELETE', `/api/keys/${keyId}`, { cookie });
    expect((await find({ keyPrefix: key.slice(0, 17) })).body.data).toMatchObject({ id });
  });

  it.each([
    [{ email: 'nobody@example.com' }],
    [{ id: '123456789' }],
    [{ keyPrefix: 'tai_000000001' }],
    [{ keyPrefix: 'tai_zzzzzzzzz' }],
  ])('%j: 404 where there is none', async (query) => {
    expect(code(await find(query as unknown as Record<string, string>))).toBe('404 NOT_FOUND');
  });

  it('is never sent a whole key: what is longer than lists show is refused', async () => {
    const { key, email } = await service.person();
    const long = await find({ keyPrefix: key });
    expect([long.status, long.body.detail]).toEqual([400, 'keyPrefix must be the first 13 to 17 characters of a key.']);
    for (const query of [{}, { email, id: '5' }]) {
      const response = await find(query);
      expect([response.status, response.body.detail]).toEqual([
        400,
        'The query must have one of email, id and keyPrefix.',
      ]);
    }
  });
});

describe('an operator sees of an account', () => {
  it('its state, plan, credits, calls and rate, and no secret', async () => {
    const person = await service.person({ planRank: 2 });
    await grant(person, 25);
    await complete(person.key);
    const details = await dataOf(`/${person.id}`);
    expect(details).toMatchObject({
      id: person.id,
      email: person.email,
      status: 'active',
      plan: 'dev_pass',
      confirmedAt: expect.stringMatching(/^\d{4}-/),
      suspendedAt: null,
      deletedAt: null,
      signIn: { password: true, google: false },
      subscription: { planId: '2', status: 'active', monthlyCredits: 5000, creditsUsed: 1 },
      credits: { spendable: 5124, held: 0 },
      holds: [],
      calls: { running: 0, maxRunning: 20, thisMonth: 1, perMonth: null, perMinute: { limit: 100, remaining: 99 } },
      used: [{ service: 'chat', credits: 1 }],
    });
    expect(details.credits.lots.map(({ source }: { source: string }) => source).toSorted()).toEqual([
      'free',
      'plan',
      'purchase',
    ]);
    expect(JSON.stringify(details)).not.toMatch(/scrypt|passwordHash|digest|tai_/);
    await suspend(person);
    expect(await dataOf(`/${person.id}`)).toMatchObject({
      status: 'suspended',
      suspendedAt: expect.stringMatching(/^\d{4}-/),
    });
  });

  it('no limit of a plan that has none, and an account that is deleted until it is purged', async () => {
    const { id, cookie, email, password } = await service.person({ planRank: 5 });
    expect((await dataOf(`/${id}`)).calls).toMatchObject({ perMonth: null, perMinute: null });
    await service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });
    expect(await dataOf(`/${id}`)).toMatchObject({ status: 'deleted', deletedAt: expect.stringMatching(/^\d{4}-/) });
    expect(code(await find({ email }))).toBe('404 NOT_FOUND');
  });

  it('its ledger, page by page, as the owner does', async () => {
    const person = await service.person();
    for (let call = 0; call < 4; call++) await complete(person.key);
    await service.settled();
    const own = (await service.call('GET', '/api/credits?limit=200', { key: person.key })).body.data.entries;
    const first = await dataOf(`/${person.id}/entries?limit=3`);
    const rest = await dataOf(`/${person.id}/entries?limit=100&cursor=${first.nextCursor}`);
    expect([...first.entries, ...rest.entries]).toEqual(own);
    expect([first.entries.length, rest.nextCursor]).toEqual([3, null]);
  });

  it('its keys, never one itself', async () => {
    const person = await service.person();
    const keys = await dataOf(`/${person.id}/keys`);
    expect(keys).toEqual((await service.call('GET', '/api/keys', { cookie: person.cookie })).body.data);
    expect(keys).toMatchObject([{ id: person.keyId, prefix: person.key.slice(0, 17), status: 'active' }]);
    expect(JSON.stringify(keys)).not.toContain(person.key);
  });

  it('its requests with their filters, also those refused', async () => {
    const person = await service.person();
    await complete(person.key);
    const refused = await complete(person.key, { ...chat(), temperature: 3 });
    await service.settled();
    const { requests } = await dataOf(`/${person.id}/requests`);
    expect(requests).toHaveLength(2);
    const only = await dataOf(`/${person.id}/requests?status=4xx`);
    expect(only.requests).toMatchObject([{ requestId: refused.headers.get('x-request-id'), status: 400 }]);
    const own = await service.call('GET', '/api/requests?status=4xx', { cookie: person.cookie });
    expect(only).toEqual(own.body.data);
  });

  it.each(['', '/entries', '/keys', '/mails', '/requests'])('nothing of one that is not there: %s', async (part) => {
    expect(code(await read(`/123456789${part}`))).toBe('404 NOT_FOUND');
    expect(code(await read(`/0${part}`))).toBe('400 INVALID_FORMAT');
  });

  it('a running call, with what it holds', async () => {
    const person = await service.person({ planRank: 2 });
    const now = services().clock.now();
    const openHold = await services()
      .metering()
      .admit({
        accountId: person.id,
        keyId: undefined,
        requestId: 'running',
        service: 'chat',
        model: 'svc-1',
        minPlanRank: 1,
        amount: 1_500_000,
        now,
        deadline: Math.floor(now / 1000) + 90,
      });
    const { holds, credits, calls } = await dataOf(`/${person.id}`);
    expect(holds).toMatchObject([{ requestId: 'running', service: 'chat', model: 'svc-1', keyId: null, credits: 1.5 }]);
    expect([credits.held, calls.running]).toEqual([1.5, 1]);
    await openHold.settle(0, now);
    expect((await act('POST', `${person.id}/keys/nothing/suspend`)).status).toBe(404);
  });
});
