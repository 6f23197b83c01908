import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { rowsOf } from '#test/database/rows.ts';
import { operatorActions } from '#test/requests/operator-actions.ts';
import { chat, code, cookieOf, type Person, startTestService, type TestService } from '#test/service/service.ts';

/** Runs when the database has responded to the functions; rejecting loses the response. */
let onReply: ((operation: string) => void) | undefined;

let service: TestService;
let operator: Person;
beforeAll(async () => {
  service = await startTestService({ onDynamoReply: (operation) => onReply?.(operation) });
  operator = await service.person();
  await (await services().operators()).actions().setRole(operator.email, 'operator');
});
afterAll(() => service.close());

const { me, balanceOf, act, eventsOf, suspend, resume, assign, grant } = operatorActions(
  () => service,
  () => operator,
);
const modelsWith = async (key: string) => (await service.call('GET', '/v1/models', { key })).status;
const complete = (key: string) => service.call('POST', '/v1/chat/completions', { key, body: chat() });
const login = ({ email, password }: Person, typed = password) =>
  service.call('POST', '/api/auth/login', { body: { email, password: typed } });

describe('an operator', () => {
  it('finds an account by its address, whatever its case', async () => {
    const person = await service.person({ planRank: 2 });
    const path = `/api/operator/accounts?email=${encodeURIComponent(person.email.toUpperCase())}`;
    const { body } = await service.call('GET', path, { cookie: operator.cookie });
    expect(body).toEqual({
      message: 'SUCCESS',
      error: false,
      status: 200,
      data: {
        id: person.id,
        email: person.email,
        name: expect.any(String),
        role: 'viewer',
        status: 'active',
        plan: 'dev_pass',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    });
  });

  it('suspends an account: keys and sessions are refused with the next call, sign-in after the right password', async () => {
    const person = await service.person();
    expect((await suspend(person)).body.data).toMatchObject({ id: person.id, status: 'suspended' });
    expect([await modelsWith(person.key), (await complete(person.key)).status]).toEqual([401, 401]);
    expect(code(await me(person.cookie))).toBe('401 INVALID_API_KEY');
    expect(code(await login(person, 'not the password'))).toBe('401 INVALID_CREDENTIALS');
    const refused = await login(person);
    expect([code(refused), refused.headers.getSetCookie()]).toEqual(['403 INSUFFICIENT_PERMISSIONS', []]);
    expect(refused.body.detail).toMatch(/suspended/);
  });

  it('resumes it: keys work again, one signs in again, ended sessions stay ended', async () => {
    const person = await service.person();
    await suspend(person);
    expect((await resume(person)).body.data.status).toBe('active');
    expect([await modelsWith(person.key), (await complete(person.key)).status]).toEqual([200, 200]);
    expect(code(await me(person.cookie))).toBe('401 INVALID_API_KEY');
    expect(code(await me(cookieOf(await login(person))))).toBe('200 SUCCESS');
  });

  it('suspends a key, which its owner can neither resume nor rotate', async () => {
    const person = await service.person();
    const response = await act('POST', `${person.id}/keys/${person.keyId}/suspend`);
    expect(response.body.data).toMatchObject({ id: person.keyId, status: 'suspended' });
    expect([await modelsWith(person.key), (await complete(person.key)).status]).toEqual([401, 401]);
    const { cookie } = person;
    const path = `/api/keys/${person.keyId}`;
    const owner = [
      await service.call('PATCH', path, { cookie, body: { status: 'active' } }),
      await service.call('POST', `${path}/rotate`, { cookie, body: {} }),
    ];
    expect(owner.map(code)).toEqual(['409 INVALID_STATE', '409 INVALID_STATE']);
    expect((await service.call('PATCH', path, { cookie, body: { name: 'renamed' } })).body.data).toMatchObject({
      name: 'renamed',
      status: 'suspended',
    });
    expect(await modelsWith(person.key)).toBe(401);
    const other = await service.call('POST', '/api/keys', { cookie, body: { name: 'another' } });
    expect(await modelsWith(other.body.data.key)).toBe(200);
  });

  it('puts an account on enterprise: no limit is shown, none is met, and no rate headers come', async () => {
    const person = await service.person({ credits: 0 });
    expect(code(await complete(person.key))).toBe('402 INSUFFICIENT_CREDITS');
    expect((await assign(person, 'enterprise')).body.data.plan).toBe('enterprise');
    const unlimited = { translation: -1, audio: -1, voice_call: -1, sms: -1 };
    expect(await balanceOf(person.key)).toMatchObject({ id: person.id, quota: unlimited, source: 'plan' });
    // More than the free plan lets through in a minute, or dev_pass concurrently.
    const responses = await Promise.all(Array.from({ length: 30 }, () => complete(person.key)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const names = [...responses[0]!.headers.keys()].filter((name) => name.includes('ratelimit'));
    expect(names).toEqual([]);
    expect((await me(person.cookie)).body.data.isSubscribe).toBe(true);
  });

  it('grants credits: they can be spent immediately, and the ledger has a row of them', async () => {
    const person = await service.person({ credits: 0 });
    expect((await grant(person, 25)).status).toBe(200);
    const response = await complete(person.key);
    expect([response.status, response.headers.get('x-credits-remaining')]).toEqual([200, '24']);
    expect((await balanceOf(person.key)).source).toBe('purchase');
    await service.settled();
    const rows = (await rowsOf('ledger')).filter((row) => row['a'] === person.id && row['type'] === 'grant');
    expect(rows.map((row) => row['amount'])).toContain(25_000_000);
  });

  it('grants once, also when the reply of the database is lost on the way', async () => {
    const person = await service.person({ credits: 0 });
    await service.settled();
    onReply = (operation) => {
      if (operation !== 'TransactWriteItems') return;
      onReply = undefined;
      throw new Error('The reply is lost.');
    };
    expect((await grant(person, 25)).status).toBe(200);
    expect((await services().metering().find(person.id))!.spendable).toBe(25_000_000);
    expect(await eventsOf(person)).toHaveLength(1);
  });
});
