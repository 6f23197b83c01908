import { beforeAll, describe, expect, it } from 'vitest';
import { userKey } from '#repositories/accounts/account-items.ts';
import { services } from '#runtime/services/container.ts';
import { rowsOf } from '#test/database/rows.ts';
import { times } from '#test/many.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { organizationCalls, type Session } from '#test/requests/organizations.ts';
import { chat, code, usePerson, useTestService, type Person } from '#test/service/service.ts';

const service = useTestService();
const ada = usePerson(service);
const ben = usePerson(service);
let calls: ReturnType<typeof organizationCalls>;
beforeAll(() => {
  calls = organizationCalls(service);
});

const rolesIn = async (id: number, by: Session): Promise<unknown[]> =>
  (await calls.call('GET', `/${id}/members`, by)).body.data.items.map(({ userId, role }: any) => [userId, role]);

const keyIn = async (id: number, { cookie }: Session, name = 'shared') =>
  (await calls.within(id, 'POST', '/api/keys', { cookie, body: { name } })).body.data;

const callWith = async (key: string): Promise<string> =>
  code(await service.call('POST', '/v1/chat/completions', { key, body: chat() }));

const deleteAccount = ({ cookie, email, password }: Person) =>
  service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });

describe('a member who leaves', () => {
  it('loses access, and leaves the keys to the organization', async () => {
    const id = await calls.create(ada);
    await calls.join(id, ada, ben, 'developer');
    const { key, createdBy } = await keyIn(id, ben);
    expect(createdBy).toBe(ben.id);
    expect((await calls.call('DELETE', `/${id}/members/${ben.id}`, ben)).status).toBe(200);
    expect(await callWith(key)).toBe('200 SUCCESS');
    expect(await rolesIn(id, ada)).toEqual([[ada.id, 'owner']]);
  });

  it('loses the keys if they are to be revoked, and no others', async () => {
    const id = await calls.create(ada);
    await calls.join(id, ada, ben, 'developer');
    const own = await keyIn(id, ada);
    const [first, second] = [await keyIn(id, ben), await keyIn(id, ben)];
    const rotated = await calls.within(id, 'POST', `/api/keys/${second.id}/rotate`, { cookie: ada.cookie, body: {} });
    expect(rotated.body.data.createdBy).toBe(ada.id);
    expect((await calls.call('DELETE', `/${id}/members/${ben.id}?revokeKeys=true`, ada)).status).toBe(200);
    expect(await callWith(first.key)).toBe('401 INVALID_API_KEY');
    expect(await callWith(own.key)).toBe('200 SUCCESS');
    expect(await callWith(rotated.body.data.key)).toBe('200 SUCCESS');
    expect(code(await calls.call('DELETE', `/${id}/members/${ada.id}?revokeKeys=yes`, ada))).toBe('400 INVALID_FORMAT');
  });

  it('must not be the last owner, who can transfer the organization', async () => {
    const id = await calls.create(ada);
    await calls.join(id, ada, ben, 'admin');
    const own = `/${id}/members/${ada.id}`;
    expect(code(await calls.call('DELETE', own, ada))).toBe('409 INVALID_STATE');
    expect(code(await calls.call('PATCH', own, ada, { role: 'viewer' }))).toBe('409 INVALID_STATE');
    const promoted = await calls.call('PATCH', `/${id}/members/${ben.id}`, ada, { role: 'owner' });
    expect(promoted.body.data).toMatchObject({ userId: ben.id, role: 'owner', email: ben.email });
    expect((await calls.call('PATCH', own, ada, { role: 'viewer' })).body.data).toMatchObject({ role: 'viewer' });
    expect(await rolesIn(id, ada)).toEqual([
      [ada.id, 'viewer'],
      [ben.id, 'owner'],
    ]);
    expect((await calls.call('DELETE', own, ada)).status).toBe(200);
  });
});

describe('a new owner', () => {
  it('gets an email that names the organization and the other owner, at most five times a day', async () => {
    const heir = await service.person();
    const id = await calls.create(ada, 'Harbor Heirs');
    await calls.join(id, ada, heir, 'admin');
    const path = `/${id}/members/${heir.id}`;
    const mails = async () =>
      (await mailsTo(service, heir.email)).filter(({ subject }) => subject === 'You are now an owner of Harbor Heirs');
    expect(
      await Promise.all(times(3, async () => (await calls.call('PATCH', path, ada, { role: 'owner' })).status)),
    ).toEqual([200, 200, 200]);
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail?.text).toContain(`(${ada.email}) made you an owner of the organization.`);
    expect(mail?.text).toContain('/organization\n');
    for (const role of times(6, () => ['admin', 'owner']).flat()) await calls.call('PATCH', path, ada, { role });
    expect((await calls.call('GET', `/${id}`, heir)).body.data.role).toBe('owner');
    expect((await mails()).length).toBeLessThanOrEqual(5);
  });
});

describe('the deletion of an organization', () => {
  it('is refused while a paid plan runs', async () => {
    const id = await calls.create(ada);
    await calls.within(id, 'POST', '/api/subscription/create', {
      cookie: ada.cookie,
      body: { planId: 'pro_pass', billingCycle: 'monthly' },
    });
    const refused = await calls.call('DELETE', `/${id}`, ada);
    expect([code(refused), refused.body.detail]).toEqual(['409 INVALID_STATE', expect.stringContaining('paid plan')]);
    const { data } = (await calls.within(id, 'GET', '/api/subscription', { cookie: ada.cookie })).body;
    await calls.within(id, 'PATCH', `/api/subscription/${data.id}/cancel`, { cookie: ada.cookie });
    expect((await calls.call('DELETE', `/${id}`, ada)).status).toBe(200);
  });
});

describe('the deletion of an account', () => {
  it('is refused to the last owner of an organization with others', async () => {
    const person = await service.person();
    const id = await calls.create(person, 'Kept');
    await calls.join(id, person, ben, 'admin');
    const refused = await deleteAccount(person);
    expect([code(refused), refused.body.detail]).toEqual(['409 INVALID_STATE', expect.stringContaining('Kept')]);
    expect((await calls.call('GET', `/${id}`, person)).body.data).toMatchObject({ role: 'owner' });
    await calls.call('PATCH', `/${id}/members/${ben.id}`, person, { role: 'owner' });
    expect((await deleteAccount(person)).status).toBe(200);
    expect(await rolesIn(id, ben)).toEqual([[ben.id, 'owner']]);
  });

  it('deletes the organizations without other members', async () => {
    const person = await service.person();
    const id = await calls.create(person);
    const { key } = await keyIn(id, person);
    expect((await deleteAccount(person)).status).toBe(200);
    expect(await callWith(key)).toBe('401 INVALID_API_KEY');
    const rows = await rowsOf('accounts');
    expect(rows.find((row) => row['pk'] === userKey(id).pk && row['sk'] === 'organization')).toHaveProperty(
      'deletedAt',
    );
    expect(rows.some((row) => row['pk'] === 'purge' && row['accountId'] === id)).toBe(true);
  });
});

describe('emails about an organization', () => {
  it('about alerts go to owners and admins, and name it', async () => {
    const id = await calls.create(ada, 'Harbor Alerts');
    const people = { admin: await service.person(), billing: await service.person(), viewer: await service.person() };
    for (const [role, person] of Object.entries(people)) await calls.join(id, ada, person, role as 'admin');
    const { balance } = (await calls.within(id, 'GET', '/api/credits', { cookie: ada.cookie })).body.data;
    const rules = [{ kind: 'balance_below', value: balance }];
    await calls.within(id, 'PUT', '/api/alerts', { cookie: ada.cookie, body: { rules, channels: ['email'] } });
    const { key } = await keyIn(id, ada);
    expect(await callWith(key)).toBe('200 SUCCESS');
    await service.settled();
    const about = async ({ email }: Session) =>
      (await mailsTo(service, email)).filter(({ text }) => text.includes('Organization: Harbor Alerts'));
    expect(await about(ada)).toHaveLength(1);
    expect(await about(people.admin)).toHaveLength(1);
    expect(await about(people.billing)).toEqual([]);
    expect(await about(people.viewer)).toEqual([]);
  });
});

/** Last, because sessions end when the clock moves. */
describe('an organization that is deleted', () => {
  it('ends for everybody at once, and is purged after 30 days', async () => {
    const id = await calls.create(ada);
    await calls.join(id, ada, ben, 'developer');
    const { key } = await keyIn(id, ben);
    expect((await calls.call('DELETE', `/${id}`, ada)).status).toBe(200);
    expect(await callWith(key)).toBe('401 INVALID_API_KEY');
    for (const person of [ada, ben]) {
      expect(code(await calls.call('GET', `/${id}`, person))).toBe('404 NOT_FOUND');
      expect((await calls.call('GET', '', person)).body.data.items).not.toContainEqual(expect.objectContaining({ id }));
    }
    const left = async () => (await rowsOf('accounts')).filter(({ pk }) => pk === userKey(id).pk);
    expect(await left()).not.toEqual([]);
    const purge = (await rowsOf('accounts')).find((row) => row['pk'] === 'purge' && row['accountId'] === id)!;
    expect(Number(purge['purgeAt']) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    await service.post('/_local/clock', { advance: 'P31D' });
    await services().profile().purge();
    expect(await left()).toEqual([]);
    expect((await rowsOf('meters')).filter((row) => row['a'] === id)).toEqual([]);
  });
});
