import { beforeAll, describe, expect, it } from 'vitest';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { organizationCalls } from '#test/requests/organizations.ts';
import { code, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const ada = usePerson(service);
const ben = usePerson(service);
let calls: ReturnType<typeof organizationCalls>;
beforeAll(() => {
  calls = organizationCalls(service);
});

describe('the personal organization', () => {
  it('has the id and name of the account, and comes first', async () => {
    const { body } = await calls.call('GET', '', ada);
    expect(body.data.items[0]).toMatchObject({ id: ada.id, role: 'owner', createdAt: expect.any(String) });
    expect(body.data.nextCursor).toBeNull();
    expect((await calls.call('GET', `/${ada.id}`, ada)).body.data).toEqual(body.data.items[0]);
    expect((await calls.call('GET', `/${ada.id}/members`, ada)).body.data.items).toEqual([
      {
        userId: ada.id,
        name: expect.any(String),
        email: ada.email,
        role: 'owner',
        joinedAt: expect.any(String),
        hasSecondFactor: false,
        hasPasskey: false,
      },
    ]);
  });

  it('has one owner, no invitations and no end of its own', async () => {
    const path = `/${ada.id}/members/${ada.id}`;
    expect(code(await calls.call('PATCH', `/${ada.id}`, ada, { name: 'Other' }))).toBe('409 INVALID_STATE');
    expect(code(await calls.call('DELETE', `/${ada.id}`, ada))).toBe('409 INVALID_STATE');
    expect(code(await calls.call('PATCH', path, ada, { role: 'viewer' }))).toBe('409 INVALID_STATE');
    expect(code(await calls.call('DELETE', path, ada))).toBe('409 INVALID_STATE');
    expect(code(await calls.invite(ada.id, ada, ben.email, 'viewer'))).toBe('409 INVALID_STATE');
    expect((await calls.call('GET', `/${ada.id}/invitations`, ada)).body.data.items).toEqual([]);
  });
});

describe('an organization', () => {
  it('is created with its own credits, keys and requests', async () => {
    const made = await calls.call('POST', '', ada, { name: 'Harbor Works' });
    expect(made.status).toBe(201);
    const { id, ...about } = made.body.data;
    expect(about).toEqual({
      name: 'Harbor Works',
      role: 'owner',
      createdAt: expect.any(String),
      requiresSecondFactor: false,
    });
    expect((await calls.call('GET', '', ada)).body.data.items).toContainEqual(made.body.data);
    const mine = await service.call('GET', '/api/credits/me', { cookie: ada.cookie });
    const its = await calls.within(id, 'GET', '/api/credits/me', { cookie: ada.cookie });
    expect([mine.body.data.id, its.body.data.id]).toEqual([ada.id, id]);
    const key = await calls.within(id, 'POST', '/api/keys', { cookie: ada.cookie, body: { name: 'shared' } });
    expect(key.body.data).toMatchObject({ createdBy: ada.id });
    const listed = await calls.within(id, 'GET', '/api/keys', { cookie: ada.cookie });
    expect(listed.body.data).toMatchObject([{ name: 'shared', createdBy: ada.id }]);
    const balance = await service.call('GET', '/api/credits/me', { key: key.body.data.key });
    expect(balance.body.data.id).toBe(id);
  });

  it('is entered by an invitation, once', async () => {
    const id = await calls.create(ada);
    const invited = await calls.invite(id, ada, ben.email, 'developer');
    expect([invited.status, invited.body.data]).toEqual([
      201,
      { id: expect.any(String), email: ben.email, role: 'developer', expiresAt: expect.any(String) },
    ]);
    const token = await calls.tokenTo(ben.email);
    const [mail] = await mailsTo(service, ben.email);
    expect(mail?.text).toContain(`?token=${token}#email=${encodeURIComponent(ben.email)}\n`);
    const accepted = await calls.accept(ben, token);
    expect([accepted.status, accepted.body.data]).toEqual([200, { organizationId: id, role: 'developer' }]);
    expect(code(await calls.accept(ben, token))).toBe('404 NOT_FOUND');
    const { items } = (await calls.call('GET', `/${id}/members`, ben)).body.data;
    expect(items.map(({ userId, role }: any) => [userId, role])).toEqual([
      [ada.id, 'owner'],
      [ben.id, 'developer'],
    ]);
    expect((await calls.call('GET', `/${id}/invitations`, ada)).body.data.items).toEqual([]);
  });
});
