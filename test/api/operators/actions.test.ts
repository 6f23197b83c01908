import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { ambient, resetEnvironment } from '#runtime/process.ts';
import { services } from '#runtime/services/container.ts';
import { rowsOf } from '#test/database/rows.ts';
import { reason, setRole, useOperator } from '#test/requests/operator-actions.ts';
import { chat, code, cookieOf, type Person, usePerson } from '#test/service/service.ts';

const { service, operator, me, balanceOf, act, eventsOf, suspend, resume, assign, grant, trail } = useOperator();
const somebody = usePerson(service);
const modelsWith = async (key: string) => (await service.call('GET', '/v1/models', { key })).status;
const complete = (key: string) => service.call('POST', '/v1/chat/completions', { key, body: chat() });

const login = ({ email, password }: Person, typed = password) =>
  service.call('POST', '/api/auth/login', { body: { email, password: typed } });

describe('an operator action', () => {
  it('suspends an account, whose keys and sessions fail with the next call and sign-in after the right password', async () => {
    const person = await service.person();
    expect((await suspend(person)).body.data).toMatchObject({ id: person.id, status: 'suspended' });
    expect([await modelsWith(person.key), (await complete(person.key)).status]).toEqual([401, 401]);
    expect(code(await me(person.cookie))).toBe('401 INVALID_API_KEY');
    expect(code(await login(person, 'not the password'))).toBe('401 INVALID_CREDENTIALS');
    const refused = await login(person);
    expect([code(refused), refused.headers.getSetCookie()]).toEqual(['403 INSUFFICIENT_PERMISSIONS', []]);
    expect(refused.body.detail).toMatch(/suspended/);
  });

  it('resumes an account, whose keys and sign-in work again and whose ended sessions stay ended', async () => {
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
    expect(response.body.data).toMatchObject({ id: person.keyId, status: 'suspended', suspendedByOperator: true });
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
    await service.call('PATCH', `/api/keys/${other.body.data.id}`, { cookie, body: { status: 'suspended' } });
    const { data } = (await service.call('GET', '/api/keys', { cookie })).body;
    const byOperator = data.map((key: Record<string, unknown>) => [key['name'], key['suspendedByOperator']]);
    expect(byOperator.toSorted()).toEqual([
      ['another', false],
      ['renamed', true],
    ]);
  });

  it('assigns enterprise, which has no limits and sends no rate headers', async () => {
    const person = await service.person({ credits: 0 });
    expect(code(await complete(person.key))).toBe('402 INSUFFICIENT_CREDITS');
    expect((await assign(person, 'enterprise')).body.data.plan).toBe('enterprise');
    const unlimited = { translation: -1, audio: -1, voice_call: -1, sms: -1 };
    expect(await balanceOf(person.key)).toMatchObject({ id: person.id, quota: unlimited, source: 'plan' });
    // More than the free plan allows in a minute, or dev_pass concurrently.
    const responses = await Promise.all(Array.from({ length: 30 }, () => complete(person.key)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const names = [...responses[0]!.headers.keys()].filter((name) => name.includes('ratelimit'));
    expect(names).toEqual([]);
    expect((await me(person.cookie)).body.data.isSubscribe).toBe(true);
  });

  it('grants credits, which can be spent immediately and have a row in the ledger', async () => {
    const person = await service.person({ credits: 0 });
    expect((await grant(person, 25)).status).toBe(200);
    const response = await complete(person.key);
    expect([response.status, response.headers.get('x-credits-remaining')]).toEqual([200, '24']);
    expect((await balanceOf(person.key)).source).toBe('purchase');
    await service.settled();
    const rows = (await rowsOf('ledger')).filter((row) => row['a'] === person.id && row['type'] === 'grant');
    expect(rows.map((row) => row['amount'])).toContain(25_000_000);
  });
});

/** Runs the work with the functions' clock stopped at that time. */
async function at<Result>(moment: number, run: () => Promise<Result>): Promise<Result> {
  const { clock } = ambient;
  ambient.clock = { now: () => moment };
  resetEnvironment();
  try {
    return await run();
  } finally {
    ambient.clock = clock;
    resetEnvironment();
  }
}

describe('the audit trail', () => {
  it('records actor, action, subject, reason, time, and the values before and after', async () => {
    const person = await service.person();
    const before = services().clock.now();
    await suspend(person);
    await resume(person);
    await act('POST', `${person.id}/keys/${person.keyId}/suspend`);
    await assign(person, 'pro_pass');
    await grant(person, 5);
    const events = (await eventsOf(person)).toReversed();
    const { keyId } = person;
    expect(events.map((event: Record<string, unknown>) => [event['action'], event['before'], event['after']])).toEqual([
      ['suspend', { status: 'active' }, { status: 'suspended' }],
      ['resume', { status: 'suspended' }, { status: 'active' }],
      ['suspend_key', { keyId, key: 'active' }, { keyId, key: 'suspended' }],
      [
        'assign_plan',
        { plan: 'freemium', subscription: 'none', credits: 100 },
        { plan: 'pro_pass', subscription: 'active', credits: 100_100 },
      ],
      ['grant_credits', { credits: 100_100 }, { credits: 100_105 }],
    ]);
    for (const event of events) {
      expect(event).toMatchObject({
        account: { id: person.id, email: person.email },
        by: { id: operator.id, email: operator.email },
        reason,
        requestId: expect.stringMatching(/^\w{19}$/),
      });
      expect(Date.parse(event.at)).toBeGreaterThanOrEqual(before);
    }
  });

  it('lists events of all accounts, newest first, page by page', async () => {
    const people = [await service.person(), await service.person()];
    for (const person of [...people, ...people]) await grant(person, 1);
    const pages: { readonly requestId: string; readonly at: string }[][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await trail(`?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      pages.push(body.data.events);
      cursor = body.data.nextCursor;
    }
    const places = pages.flat().map(({ at, requestId }) => `${at} ${requestId}`);
    expect(pages.slice(0, -1).every(({ length }) => length === 3)).toBe(true);
    expect(places).toEqual(places.toSorted().toReversed());
    expect([new Set(places).size, (await rowsOf('audit')).length / 2]).toEqual([places.length, places.length]);
    expect(await eventsOf(people[0]!)).toHaveLength(2);
  });

  it('keeps two events of the same millisecond', async () => {
    const person = await service.person();
    const grants = async () => [await grant(person, 5), await grant(person, 7)];
    const responses = await at(services().clock.now(), grants);
    expect(responses.map(code)).toEqual(['200 SUCCESS', '200 SUCCESS']);
    expect(await eventsOf(person)).toHaveLength(2);
  });

  it('records changes of roles, which only bin/operator.ts can make', async () => {
    const person = await service.person();
    for (let turn = 0; turn < 2; turn++) await setRole(person, 'operator');
    expect(await eventsOf(person)).toEqual([
      expect.objectContaining({
        action: 'set_role',
        by: null,
        reason: 'node bin/operator.ts',
        before: { role: 'viewer' },
        after: { role: 'operator' },
      }),
    ]);
  });

  it('keeps the events of a purged account, without its address', async () => {
    const { cookie, email, password, id } = await service.person();
    await grant({ id }, 5);
    await service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });
    await at(services().clock.now() + 31 * 86_400_000, () => services().profile().purge());
    expect(await eventsOf({ id })).toEqual([expect.objectContaining({ account: { id, email: null } })]);
  });

  it.each([
    ['accountId=0', 'accountId must be an account id.'],
    ['accountId=9007199254740993', 'accountId must be an account id.'],
    ['cursor=junk', 'cursor must be the nextCursor of the previous page.'],
    ['limit=0', 'limit must be a number from 1 to 100.'],
    ['limit=101', 'limit must be a number from 1 to 100.'],
  ])('refuses %s with 400', async (query, detail) => {
    const response = await trail(`?${query}`);
    expect([response.status, response.body.detail]).toEqual([400, detail]);
  });

  it.each([
    ['POST', 'credits', { credits: 0 }, 'credits must be positive.'],
    ['POST', 'credits', { credits: 1.5 }, 'credits must be an integer.'],
    ['POST', 'credits', { credits: 1_000_001 }, 'credits must be at most 1000000.'],
    ['PUT', 'plan', { planId: 'platinum' }, 'planId must name a plan.'],
    ['POST', 'suspend', { reason: '' }, 'reason must not be empty.'],
    ['POST', 'suspend', { reason: ' \n' }, 'reason must have a visible character.'],
    ['POST', 'suspend', { reason: '\u200B\u2063\u2800' }, 'reason must have a visible character.'],
    ['POST', 'suspend', { reason: 'x'.repeat(501) }, 'reason must have at most 500 characters.'],
    ['POST', 'suspend', { reason: undefined }, 'reason is required.'],
  ])('records nothing if it refuses %s …/%s with %j', async (method, verb, body, detail) => {
    const response = await act(method, `${somebody.id}/${verb}`, body);
    expect([response.status, response.body.detail]).toEqual([400, detail]);
    expect(await eventsOf(somebody)).toEqual([]);
  });

  it('stores a reason of 500 characters in full', async () => {
    const person = await service.person();
    const long = '😀'.repeat(500);
    expect(code(await act('POST', `${person.id}/credits`, { credits: 1, reason: long }))).toBe('200 SUCCESS');
    expect((await eventsOf(person))[0].reason).toBe(long);
  });
});

describe('npx node bin/operator.ts', () => {
  /** Runs the command with the tables of the running service, unless `env` names others. */
  async function run(args: string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, ['bin/operator.ts', ...args], { env: { ...process.env, ...env } });
    const [out, err, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { out, err, exitCode };
  }
  const roleOf = async ({ cookie }: Person) => (await me(cookie)).body.data.role;

  it('promotes a viewer to operator, and demotes an operator to viewer', async () => {
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

  it('reports each failure in one sentence', async () => {
    const [unknown, unheld, unreachable, noTables] = await Promise.all([
      run(['nobody@example.com']),
      run(['nobody@example.com', 'clear-hold']),
      run([operator.email], { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' }),
      run([operator.email], { AWS_ENDPOINT_URL_DYNAMODB: '', ACCOUNTS_TABLE: '' }),
    ]);
    expect(unknown).toEqual({ exitCode: 1, out: '', err: 'Nothing was changed: There is no such account.\n' });
    expect(unheld).toEqual(unknown);
    expect(unreachable).toMatchObject({ exitCode: 1, err: expect.stringMatching(/^Nothing was changed: .+\n$/) });
    expect(noTables).toEqual({
      exitCode: 1,
      out: '',
      err: 'Nothing was changed: ACCOUNTS_TABLE is not set: set it to the name of the deployed table.\n',
    });
  });

  it('lists the valid actions if the action is unknown', async () => {
    expect(await run([operator.email, 'unblok'])).toEqual({
      exitCode: 2,
      out: '',
      err: 'There is no action unblok. The actions are operator, viewer, clear-hold, unblock.\n',
    });
  });

  it('reports that no payment or email of the account is blocked', async () => {
    const [held, blocked] = await Promise.all([run([somebody.email, 'clear-hold']), run([somebody.email, 'unblock'])]);
    expect([held, blocked]).toEqual([
      { exitCode: 2, out: '', err: `No payments of ${somebody.email} block purchases.\n` },
      { exitCode: 2, out: '', err: `Emails to ${somebody.email} are not blocked.\n` },
    ]);
    expect(await eventsOf(somebody)).toEqual([]);
  });

  it('prints its usage', async () => {
    expect(await run(['--help'])).toMatchObject({
      exitCode: 0,
      err: '',
      out: expect.stringMatching(/^Usage: npx node .*--data/s),
    });
    for (const args of [[], ['a', 'viewer', 'b'], ['--force']])
      expect(await run(args)).toMatchObject({ exitCode: 2, out: '', err: expect.stringMatching(/^Usage: npx node/) });
  });
});
