import { describe, expect, it } from 'vitest';
import { ambient, resetEnvironment } from '#runtime/process.ts';
import { services } from '#runtime/services/container.ts';
import { mailsSent } from '#test/requests/accounts/inbox.ts';
import { useOperator } from '#test/requests/operator-actions.ts';
import { chat, code, holdOpen } from '#test/service/service.ts';

const { service, operator, act, suspend, grant } = useOperator();
const read = (path: string) => service.call('GET', `/api/operator/accounts${path}`, { cookie: operator.cookie });
const dataOf = async (path: string) => (await read(path)).body.data;
const find = (query: object) => read(`?${String(new URLSearchParams({ ...query }))}`);
const complete = (key: string, body: object = chat()) => service.call('POST', '/v1/chat/completions', { key, body });

describe('the account search of operators', () => {
  it('finds an account by address in any case, id or key prefix, even of a revoked key', async () => {
    const { id, email, key, keyId, cookie } = await service.person();
    const queries = [
      { email: email.toUpperCase() },
      { email },
      { id: String(id) },
      { keyPrefix: key.slice(0, 17) },
      { keyPrefix: key.slice(0, 13) },
    ];
    for (const query of queries) expect((await find(query)).body.data).toMatchObject({ id, plan: 'freemium' });
    await service.call('DELETE', `/api/keys/${keyId}`, { cookie });
    expect((await find({ keyPrefix: key.slice(0, 17) })).body.data).toMatchObject({ id });
  });

  it('returns id, address, name, role, status, plan and creation time', async () => {
    const { id, email } = await service.person({ planRank: 2 });
    expect((await find({ email })).body.data).toEqual({
      id,
      email,
      name: expect.any(String),
      role: 'viewer',
      status: 'active',
      plan: 'dev_pass',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  it.each([
    [{ email: 'nobody@example.com' }],
    [{ id: '123456789' }],
    [{ keyPrefix: 'tai_000000001' }],
    [{ keyPrefix: 'tai_zzzzzzzzz' }],
  ])('returns 404 without a match: %j', async (query) => {
    expect(code(await find(query))).toBe('404 NOT_FOUND');
  });

  it('refuses a key prefix longer than the displayed one, so that no whole key is sent', async () => {
    const { key, email } = await service.person();
    const long = await find({ keyPrefix: key });
    expect([long.status, long.body.detail]).toEqual([400, 'keyPrefix must be the first 13 to 17 characters of a key.']);
    const detail = 'The query must have one of email, id and keyPrefix.';
    for (const query of [{}, { email, id: '5' }])
      expect((await find(query)).body).toMatchObject({ status: 400, detail });
  });
});

describe('the account view of operators', () => {
  it('shows state, plan, credits, calls and rate, but no secret', async () => {
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

  it('shows no limit for an unlimited plan, and shows a deleted account until it is purged', async () => {
    const { id, cookie, email, password } = await service.person({ planRank: 5 });
    expect((await dataOf(`/${id}`)).calls).toMatchObject({ perMonth: null, perMinute: null });
    await service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });
    expect(await dataOf(`/${id}`)).toMatchObject({ status: 'deleted', deletedAt: expect.stringMatching(/^\d{4}-/) });
    expect(code(await find({ email }))).toBe('404 NOT_FOUND');
  });

  it('shows the ledger page by page, as for the owner', async () => {
    const person = await service.person();
    for (let call = 0; call < 4; call++) await complete(person.key);
    await service.settled();
    const own = (await service.call('GET', '/api/credits?limit=200', { key: person.key })).body.data.entries;
    const first = await dataOf(`/${person.id}/entries?limit=3`);
    const rest = await dataOf(`/${person.id}/entries?limit=100&cursor=${first.nextCursor}`);
    expect([...first.entries, ...rest.entries]).toEqual(own);
    expect([first.entries.length, rest.nextCursor]).toEqual([3, null]);
  });

  it('lists the keys without their secret', async () => {
    const person = await service.person();
    const keys = await dataOf(`/${person.id}/keys`);
    expect(keys).toEqual((await service.call('GET', '/api/keys', { cookie: person.cookie })).body.data);
    expect(keys).toMatchObject([{ id: person.keyId, prefix: person.key.slice(0, 17), status: 'active' }]);
    expect(JSON.stringify(keys)).not.toContain(person.key);
  });

  it('lists the requests with filters, including refused ones', async () => {
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

  it.each(['', '/entries', '/keys', '/mails', '/requests'])('returns 404 for an unknown account: %s', async (part) => {
    expect(code(await read(`/123456789${part}`))).toBe('404 NOT_FOUND');
    expect(code(await read(`/0${part}`))).toBe('400 INVALID_FORMAT');
  });

  it('shows a running call with its hold', async () => {
    const person = await service.person({ planRank: 2 });
    const openHold = await holdOpen(person.id, 1_500_000, { requestId: 'running' });
    const { holds, credits, calls } = await dataOf(`/${person.id}`);
    expect(holds).toMatchObject([{ requestId: 'running', service: 'chat', model: 'svc-1', keyId: null, credits: 1.5 }]);
    expect([credits.held, calls.running]).toEqual([1.5, 1]);
    await openHold.settle(0, services().clock.now());
    expect((await act('POST', `${person.id}/keys/nothing/suspend`)).status).toBe(404);
  });
});

const mailsOf = (id: number) => dataOf(`/${id}/mails`);
const subjects = ({ mails }: { mails: { subject: string }[] }) => mails.map(({ subject }) => subject);

describe('the email list of operators', () => {
  it('shows state and time, newest first, and no text', async () => {
    const { id, email, password, cookie } = await service.person();
    const newPassword = 'a further river bank';
    await service.call('POST', '/api/auth/forgot-password', { body: { email } });
    await mailsSent(service);
    await service.call('POST', '/api/auth/change-password', {
      cookie,
      body: { currentPassword: password, newPassword },
    });
    await service.settled();
    const data = await mailsOf(id);
    expect(subjects(data)).toEqual([
      'Your password was changed',
      'Reset your password',
      'An API key was created',
      'Confirm your email address',
    ]);
    for (const mail of data.mails) {
      expect(mail).toEqual({
        subject: expect.any(String),
        at: expect.stringMatching(/^\d{4}-/),
        state: 'sent',
        stateAt: expect.stringMatching(/^\d{4}-/),
      });
    }
    expect(data.suppression).toBeNull();
    expect(JSON.stringify(data)).not.toMatch(/token|ta[rc]_|http/);
  });

  it('shows that an email bounced, and that the next one was withheld', async () => {
    const email = 'bounce+operators@simulator.amazonses.com';
    const { body, headers } = await service.call('POST', '/api/auth/register', {
      body: { email, name: 'Ada', password_hash: 'a quiet river bank' },
    });
    await service.settled();
    const cookie = headers.getSetCookie()[0]!.split(';')[0]!;
    await service.call('POST', '/api/auth/resend-confirmation', { cookie });
    await service.settled();
    const { mails, suppression } = await mailsOf(body.data.id);
    expect(mails.map(({ state }: { state: string }) => state)).toEqual(['suppressed', 'bounced']);
    expect(suppression).toEqual({ reason: 'bounce', at: expect.stringMatching(/^\d{4}-/) });
  });

  it('contains at most 20 emails of the last 30 days, even for a deleted account', async () => {
    const { id, cookie, email, password } = await service.person();
    await service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });
    await service.settled();
    expect(subjects(await mailsOf(id))).toEqual([
      'Your account was deleted',
      'An API key was created',
      'Confirm your email address',
    ]);
    const { clock } = ambient;
    const later = clock.now() + 30 * 86_400_000 + 60_000;
    ambient.clock = { now: () => later };
    resetEnvironment();
    const reads = await (await services().operators()).reads().mails(id);
    ambient.clock = clock;
    resetEnvironment();
    expect(reads.mails).toEqual([]);
  });
});
