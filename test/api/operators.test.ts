import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ambient } from '#runtime/ambient.ts';
import { services } from '#runtime/container.ts';
import { resetEnvironment } from '#runtime/per-environment.ts';
import { rowsOf } from '#test/rows.ts';
import { type ApiResponse, chat, cookieOf, type Person, startTestService, type TestService } from '#test/service.ts';

/** Runs when the database has answered the functions; rejecting loses the answer. */
let onReply: ((operation: string) => void) | undefined;

let service: TestService;
let operator: Person;
let somebody: Person;
beforeAll(async () => {
  service = await startTestService({ onDynamoReply: (operation) => onReply?.(operation) });
  operator = await service.person();
  somebody = await service.person();
  await services().operators().setRole(operator.email, 'operator');
});
afterAll(() => service.close());

const reason = 'asked for in ticket 4711';
const code = ({ status, body }: ApiResponse) => `${status} ${body.message}`;
const me = (cookie: string) => service.call('GET', '/api/auth/me', { cookie });
const modelsWith = async (key: string) => (await service.call('GET', '/v1/models', { key })).status;
const complete = (key: string) => service.call('POST', '/v1/chat/completions', { key, body: chat() });
const balanceOf = async (key: string) => (await service.call('GET', '/api/credits/me', { key })).body.data;
const login = ({ email, password }: Person, typed = password) =>
  service.call('POST', '/api/auth/login', { body: { email, password: typed } });

const act = (method: string, path: string, body: object = {}, cookie = operator.cookie) =>
  service.call(method, `/api/operator/accounts/${path}`, { cookie, body: { reason, ...body } });
const suspend = ({ id }: Person) => act('POST', `${id}/suspend`);
const resume = ({ id }: Person) => act('POST', `${id}/resume`);
const assign = ({ id }: Person, planId: string) => act('PUT', `${id}/plan`, { planId });
const grant = ({ id }: Person, credits: number) => act('POST', `${id}/credits`, { credits });

const auditOf = async ({ id }: Person) => (await rowsOf('accounts')).filter(({ pk }) => pk === `audit#${id}`);

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
    const answer = await act('POST', `${person.id}/keys/${person.keyId}/suspend`);
    expect(answer.body.data).toMatchObject({ id: person.keyId, status: 'suspended' });
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
    // More than the free plan lets through in a minute, or dev_pass at once.
    const answers = await Promise.all(Array.from({ length: 30 }, () => complete(person.key)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const names = [...answers[0]!.headers.keys()].filter((name) => name.includes('ratelimit'));
    expect(names).toEqual([]);
    expect((await me(person.cookie)).body.data.isSubscribe).toBe(true);
  });

  it('grants credits: they can be spent at once, and the ledger has a row of them', async () => {
    const person = await service.person({ credits: 0 });
    expect((await grant(person, 25)).status).toBe(200);
    const answer = await complete(person.key);
    expect([answer.status, answer.headers.get('x-credits-remaining')]).toEqual([200, '24']);
    expect((await balanceOf(person.key)).source).toBe('purchase');
    await service.settled();
    const rows = (await rowsOf('ledger')).filter((row) => row['a'] === person.id && row['type'] === 'grant');
    expect(rows.map((row) => row['amount'])).toContain(25_000_000);
  });

  it('grants once, also when the reply of the database is lost on the way', async () => {
    const person = await service.person({ credits: 0 });
    await service.settled();
    onReply = (operation) => {
      if (operation !== 'UpdateItem') return;
      onReply = undefined;
      throw new Error('The reply is lost.');
    };
    expect((await grant(person, 25)).status).toBe(200);
    expect((await services().metering().find(person.id))!.spendable).toBe(25_000_000);
  });

  it('leaves a row for every act: who, what, why and when', async () => {
    const person = await service.person();
    const before = services().clock.now();
    await suspend(person);
    await resume(person);
    await act('POST', `${person.id}/keys/${person.keyId}/suspend`);
    await assign(person, 'pro_pass');
    await grant(person, 5);
    const rows = await auditOf(person);
    const acts = ['suspend', 'resume', 'suspend key', 'assign plan', 'grant credits'];
    expect(rows.map((row) => row['act'])).toEqual(acts);
    for (const row of rows) expect(row).toMatchObject({ by: operator.id, reason });
    const after = services().clock.now();
    for (const row of rows) expect([before <= Number(row['at']), Number(row['at']) <= after]).toEqual([true, true]);
  });

  it('leaves a row also for an act that comes at the same moment as another, and overwrites none', async () => {
    const person = await service.person();
    const { clock } = ambient;
    const frozen = clock.now();
    ambient.clock = { now: () => frozen };
    resetEnvironment();
    const answers = [await grant(person, 5), await grant(person, 7)];
    ambient.clock = clock;
    resetEnvironment();
    expect(answers.map(code)).toEqual(['200 SUCCESS', '200 SUCCESS']);
    expect(await auditOf(person)).toHaveLength(2);
  });

  it.each([
    ['POST', 'suspend', {}],
    ['POST', 'resume', {}],
    ['PUT', 'plan', { planId: 'enterprise' }],
    ['POST', 'credits', { credits: 5 }],
    ['POST', 'keys/nothing/suspend', {}],
  ])('is told 404 at %s …/%s of an account that does not exist', async (method, verb, body) => {
    expect(code(await act(method, `123456789/${verb}`, body))).toBe('404 NOT_FOUND');
  });

  it('is told 404 for an unknown address and an unknown key, 409 for a deleted account', async () => {
    const person = await service.person();
    const find = await service.call('GET', '/api/operator/accounts?email=nobody@example.com', {
      cookie: operator.cookie,
    });
    expect(code(find)).toBe('404 NOT_FOUND');
    expect(code(await act('POST', `${person.id}/keys/nothing/suspend`))).toBe('404 NOT_FOUND');
    expect(code(await act('POST', `${person.id}/keys/${operator.keyId}/suspend`))).toBe('404 NOT_FOUND');
    const { cookie, email, password } = person;
    await service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });
    expect(code(await suspend(person))).toBe('409 INVALID_STATE');
    expect(code(await grant(person, 5))).toBe('409 INVALID_STATE');
  });

  it.each([
    ['POST', 'credits', { credits: 0 }, 'credits must be positive.'],
    ['POST', 'credits', { credits: 1.5 }, 'credits must be an integer.'],
    ['POST', 'credits', { credits: 1_000_001 }, 'credits must be at most 1000000.'],
    ['PUT', 'plan', { planId: 'platinum' }, 'planId must name a plan.'],
    ['POST', 'suspend', { reason: '' }, 'reason must not be empty.'],
    ['POST', 'suspend', { reason: undefined }, 'reason is required.'],
  ])('is told 400 at %s …/%s with %j, and nothing is done', async (method, verb, body, detail) => {
    const answer = await act(method, `${somebody.id}/${verb}`, body);
    expect([answer.status, answer.body.detail]).toEqual([400, detail]);
    expect(await auditOf(somebody)).toEqual([]);
  });

  it('is no operator any more with the request after the role is taken back', async () => {
    const person = await service.person();
    const find = () => service.call('GET', `/api/operator/accounts?email=${person.email}`, { cookie: person.cookie });
    expect(code(await find())).toBe('403 INSUFFICIENT_PERMISSIONS');
    await services().operators().setRole(person.email, 'operator');
    expect(code(await find())).toBe('200 SUCCESS');
    await services().operators().setRole(person.email, 'viewer');
    expect(code(await find())).toBe('403 INSUFFICIENT_PERMISSIONS');
  });
});

describe('a viewer', () => {
  it('may do nothing of it, not even to their own account, and leaves no row', async () => {
    const person = await service.person();
    const answers = [
      await service.call('GET', `/api/operator/accounts?email=${person.email}`, { cookie: person.cookie }),
      await act('POST', `${person.id}/suspend`, {}, person.cookie),
      await act('POST', `${person.id}/resume`, {}, person.cookie),
      await act('PUT', `${person.id}/plan`, { planId: 'enterprise' }, person.cookie),
      await act('POST', `${person.id}/credits`, { credits: 1000 }, person.cookie),
      await act('POST', `${person.id}/keys/${person.keyId}/suspend`, {}, person.cookie),
    ];
    expect(new Set(answers.map(code))).toEqual(new Set(['403 INSUFFICIENT_PERMISSIONS']));
    expect(await auditOf(person)).toEqual([]);
    expect((await balanceOf(person.key)).quota.translation).toBe(100);
  });
});

describe('node bin/operator.ts', () => {
  /** With the tables' addresses of the running service, unless told otherwise. */
  async function run(args: string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, ['bin/operator.ts', ...args], { env: { ...process.env, ...env } });
    const [out, err, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { out, err, exitCode };
  }
  const roleOf = async ({ cookie }: Person) => (await me(cookie)).body.data.role;

  it('makes an operator of a viewer, and a viewer of an operator', async () => {
    const person = await service.person();
    expect(await run([person.email.toUpperCase()])).toMatchObject({ exitCode: 0, err: '' });
    expect(await roleOf(person)).toBe('operator');
    expect(await run([person.email, 'viewer'], { ACCOUNTS_TABLE: '', METERS_TABLE: '' })).toEqual({
      exitCode: 0,
      err: '',
      out: `${person.email} has the role viewer now.\n`,
    });
    expect(await roleOf(person)).toBe('viewer');
  });

  it('says in a sentence what it cannot do', async () => {
    const [unknown, unreachable, noTables] = await Promise.all([
      run(['nobody@example.com']),
      run([operator.email], { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' }),
      run([operator.email], { AWS_ENDPOINT_URL_DYNAMODB: '', ACCOUNTS_TABLE: '' }),
    ]);
    expect(unknown).toEqual({ exitCode: 1, out: '', err: 'The role was not changed: There is no such account.\n' });
    expect(unreachable).toMatchObject({ exitCode: 1, err: expect.stringMatching(/^The role was not changed: .+\n$/) });
    expect(noTables).toMatchObject({ exitCode: 1, err: expect.stringMatching(/ACCOUNTS_TABLE is not set.*\n$/) });
    expect(await run([operator.email, 'king'])).toMatchObject({
      exitCode: 2,
      out: '',
      err: expect.stringMatching(/^There is no role king/),
    });
  });

  it('shows how it is used', async () => {
    expect(await run(['--help'])).toMatchObject({
      exitCode: 0,
      err: '',
      out: expect.stringMatching(/^Usage: node .*dynoxide/s),
    });
    for (const args of [[], ['a', 'viewer', 'b'], ['--force']])
      expect(await run(args)).toMatchObject({ exitCode: 2, out: '', err: expect.stringMatching(/^Usage: node/) });
  });
});
