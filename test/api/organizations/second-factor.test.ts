import { beforeAll, describe, expect, it } from 'vitest';
import { actsForOrganization, type Route } from '#contract/http/route.ts';
import { tables } from '#contract/platform/resources.ts';
import { allRoutes } from '#contract/routes.ts';
import { secondFactorRules } from '#repositories/operators/audited-writes.ts';
import { dynamoClient } from '#runtime/services/dynamo-client.ts';
import { times } from '#test/many.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { type Enrolled, factorCalls } from '#test/requests/accounts/second-factor.ts';
import { useOperator } from '#test/requests/operator-actions.ts';
import { organizationCalls, type Session } from '#test/requests/organizations.ts';
import { sampleOf } from '#test/requests/samples.ts';
import { chat, code, cookieOf, usePerson } from '#test/service/service.ts';

const { service, operator, eventsOf } = useOperator();
const { enrolled, login, options, verify, withPasskey, turnOff } = factorCalls(() => service);
const locked = '403 SECOND_FACTOR_NOT_ENABLED';
const done = '200 SUCCESS';

/** Has no second factor. */
const ben = usePerson(service);
let calls: ReturnType<typeof organizationCalls>;
let ada: Enrolled;
let id: number;
beforeAll(async () => {
  calls = organizationCalls(service);
  ada = await enrolled();
  id = await calls.create(ada);
  await calls.join(id, ada, ben, 'owner');
  await rule(ada, true);
}, 60_000);

const rule = (by: Pick<Session, 'cookie'>, required: boolean, of = id) =>
  calls.call('PUT', `/${of}/second-factor`, by, { required });
const credits = ({ cookie }: Pick<Session, 'cookie'>, of = id) => calls.within(of, 'GET', '/api/credits', { cookie });
const signIn = async (email: string, password: string) => ({ cookie: cookieOf(await login(email, password)) });
const subjects = async (email: string) => (await mailsTo(service, email)).map(({ subject }) => subject);

async function organization(...members: readonly Session[]): Promise<number> {
  const made = await calls.create(ada);
  for (const member of members) await calls.join(made, ada, member, 'developer');
  return made;
}

describe('a member without two-step sign-in', () => {
  const remains = new Set(['get-organization', 'remove-member']);
  const ofOrganizations = allRoutes.filter(
    (route) => route.credential.startsWith('session') && actsForOrganization(route),
  );
  const request = (route: Route, { cookie }: Session) => {
    const { path, body } = sampleOf(route);
    return calls.within(id, route.method, path.replace('/123', `/${id}`), { cookie, body });
  };

  it.each(ofOrganizations.filter((route) => !remains.has(route.id)).map((route) => [route.id, route] as const))(
    'is refused by %s',
    async (_, route) => {
      const { body, ...refused } = await request(route, ben);
      expect(code({ body, ...refused })).toBe(locked);
      const envelope = route.format === 'envelope';
      expect(envelope ? body.detail : JSON.stringify(body)).toContain('The organization requires two-step sign-in.');
    },
  );

  it('reads the requirement, and leaves, but removes nobody', async () => {
    const member = await service.person();
    const of = await organization(member, ben);
    await rule(ada, true, of);
    const found = expect.objectContaining({ id: of, requiresSecondFactor: true });
    expect((await calls.call('GET', '', member)).body.data.items).toContainEqual(found);
    expect((await calls.call('GET', `/${of}`, member)).body.data).toEqual(found);
    await calls.call('PATCH', `/${of}/members/${member.id}`, ada, { role: 'owner' });
    expect(code(await calls.call('DELETE', `/${of}/members/${ben.id}`, member))).toBe(locked);
    expect(code(await calls.call('DELETE', `/${of}/members/${member.id}`, member))).toBe(done);
  });

  it('keeps the personal organization, and settings of the account', async () => {
    for (const path of ['/api/credits', '/api/auth/me', '/api/organizations'])
      expect([path, (await service.call('GET', path, { cookie: ben.cookie })).status]).toEqual([path, 200]);
  });

  it('is admitted after setting up an authenticator app, until it is turned off', async () => {
    const member = await enrolled();
    const of = await organization(member);
    await rule(ada, true, of);
    expect(code(await credits(member, of))).toBe(done);
    const off = await turnOff(member.cookie, { recoveryCode: member.recoveryCodes[0] });
    expect(code(await credits({ cookie: cookieOf(off) }, of))).toBe(locked);
  });

  it('is admitted in sessions that begin with a passkey, and not in those of the password', async () => {
    const member = await service.person();
    const of = await organization(member);
    await rule(ada, true, of);
    const { device, cookie } = await withPasskey(member);
    expect(code(await credits({ cookie }, of))).toBe(done);
    const entered = { cookie: cookieOf(await verify(device.assert(await options()))) };
    expect(code(await credits(entered, of))).toBe(done);
    expect(code(await credits(await signIn(member.email, member.password), of))).toBe(locked);
  });

  it('keeps its access after a change of the password in a session that began with a passkey', async () => {
    const member = await service.person();
    const of = await organization(member);
    await rule(ada, true, of);
    const { cookie } = await withPasskey(member);
    const body = { currentPassword: member.password, newPassword: 'another river bank' };
    const first = await service.call('POST', '/api/auth/change-password', { cookie, body });
    expect(code(await credits({ cookie: cookieOf(first) }, of))).toBe(done);
    const again = { currentPassword: body.newPassword, newPassword: member.password };
    const second = await service.call('POST', '/api/auth/change-password', { cookie: cookieOf(first), body: again });
    expect(code(await credits({ cookie: cookieOf(second) }, of))).toBe(done);
    const byPassword = await signIn(member.email, member.password);
    const third = await service.call('POST', '/api/auth/change-password', { ...byPassword, body });
    expect(code(await credits({ cookie: cookieOf(third) }, of))).toBe(locked);
  });
});

describe('the requirement', () => {
  it('leaves the keys of the organization in place', async () => {
    const of = await organization(ben);
    const made = await calls.within(of, 'POST', '/api/keys', { cookie: ben.cookie, body: { name: 'of Ben' } });
    await rule(ada, true, of);
    const { key } = made.body.data;
    expect((await service.call('POST', '/v1/chat/completions', { key, body: chat() })).status).toBe(200);
    expect(code(await service.call('GET', '/api/credits', { key }))).toBe(done);
  });

  it('is set only by an owner who has a second factor, and not for a personal organization', async () => {
    const of = await calls.create(ben);
    const refused = await rule(ben, true, of);
    expect([code(refused), refused.body.detail]).toEqual([locked, expect.stringMatching(/^Your own account has no/)]);
    expect(code(await credits(ben, of))).toBe(done);
    expect(code(await rule(ada, true, ada.id))).toBe('409 INVALID_STATE');
    expect((await calls.call('PUT', `/${of}/second-factor`, ben, { required: 'yes' })).status).toBe(400);
  });

  it('ends when an owner turns it off', async () => {
    const of = await organization(ben);
    expect((await rule(ada, true, of)).body.data).toMatchObject({ id: of, requiresSecondFactor: true });
    expect(code(await credits(ben, of))).toBe(locked);
    expect((await rule(ada, false, of)).body.data).toMatchObject({ id: of, requiresSecondFactor: false });
    expect(code(await credits(ben, of))).toBe(done);
  });

  it('is shown with the members who satisfy it', async () => {
    const member = await service.person();
    const { cookie } = await withPasskey(member);
    const of = await calls.create(ada);
    await calls.join(of, ada, { ...member, cookie }, 'viewer');
    const { items } = (await calls.call('GET', `/${of}/members`, ada)).body.data;
    const shown = items.map(({ userId, hasSecondFactor, hasPasskey }: any) => [userId, hasSecondFactor, hasPasskey]);
    expect(shown).toEqual([
      [ada.id, true, false],
      [member.id, false, true],
    ]);
  });

  it('is announced once to every member except the owner who turned it on, even if the request is repeated', async () => {
    const member = await service.person();
    const of = await organization(member);
    await Promise.all(times(5, () => rule(ada, true, of)));
    const announced = 'Harbor Works requires two-step sign-in';
    expect((await subjects(member.email)).filter((subject) => subject === announced)).toHaveLength(1);
    const mail = (await mailsTo(service, member.email)).find(({ subject }) => subject === announced);
    expect(mail?.text).toContain('Organization: Harbor Works');
    expect(mail?.text).toContain('To keep your access, set up an authenticator app');
    expect(mail?.text).toContain('/settings#two-step');
    expect(await subjects(ada.email)).not.toContain(announced);
  });

  it('is announced again at the next request if the first one was interrupted', async () => {
    const member = await service.person();
    const of = await organization(member);
    const names = { accounts: tables.accounts.name, audit: tables.audit.name };
    const set = secondFactorRules(dynamoClient(), names);
    const owner = { userId: ada.id, role: 'owner' } as const;
    const at = Date.now();
    const event = { accountId: of, action: 'require_second_factor', reason: 'x', at, requestId: 'r1' } as const;
    expect(await set(at, owner, { ...event, before: {}, after: {} })).toBe(true);
    await rule(ada, true, of);
    expect(await subjects(member.email)).toContain('Harbor Works requires two-step sign-in');
  });

  it('writes one audit event for each change, and none for a repeated request', async () => {
    const of = await organization();
    for (const required of [true, true, false, false]) await rule(ada, required, of);
    const [optional, required] = [{ secondFactor: 'optional' }, { secondFactor: 'required' }];
    const about = { action: 'require_second_factor', reason: `changed by the owner ${ada.id}`, by: null };
    expect(await eventsOf({ id: of })).toMatchObject([
      { ...about, before: required, after: optional },
      { ...about, before: optional, after: required },
    ]);
  });

  it('is turned on at most five times a day', async () => {
    const of = await organization();
    const changes = times(5, () => [true, false]).flat();
    for (const required of changes) expect(code(await rule(ada, required, of))).toBe(done);
    expect(code(await rule(ada, true, of))).toBe('429 RATE_LIMIT_EXCEEDED');
    expect((await calls.call('GET', `/${of}`, ada)).body.data.requiresSecondFactor).toBe(false);
  });

  it('does not concern operators', async () => {
    const read = await service.call('GET', `/api/operator/accounts/${id}`, { cookie: operator.cookie });
    expect(code(read)).toBe(done);
  });
});
