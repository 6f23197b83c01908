import { beforeAll, expect, it } from 'vitest';
import { organizationKey } from '#repositories/accounts/account-items.ts';
import { services } from '#runtime/services/container.ts';
import { rowsOf, setInRow } from '#test/database/rows.ts';
import { seed, times } from '#test/many.ts';
import { organizationCalls } from '#test/requests/organizations.ts';
import { code, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const ada = usePerson(service);
const ben = usePerson(service);
const cleo = usePerson(service);
let calls: ReturnType<typeof organizationCalls>;
beforeAll(() => {
  calls = organizationCalls(service);
});

const rolesIn = async (id: number, member: { cookie: string }): Promise<string[]> => {
  const { items } = (await calls.call('GET', `/${id}/members`, member)).body.data;
  return items.map(({ role }: { role: string }) => role);
};

const stored = async (id: number) => {
  const { pk, sk } = organizationKey(id);
  return (await rowsOf('accounts')).find((row) => row['pk'] === pk && row['sk'] === sk);
};

it.each(times(3, (index) => seed + index))(
  'keeps an owner in 20 parallel demotions and leavings by two (seed %i)',
  async (draw) => {
    const id = await calls.create(ada);
    await calls.join(id, ada, cleo, 'viewer');
    await calls.join(id, ada, ben, 'owner');
    const results = await Promise.all(
      times(20, (index) => {
        const pick = (draw * 31 + index * 7) % 4;
        const actor = pick < 2 ? ada : ben;
        const subject = pick % 2 === 0 ? actor : actor === ada ? ben : ada;
        const path = `/${id}/members/${subject.id}`;
        return (draw + index) % 3 === 0
          ? calls.call('DELETE', path, actor)
          : calls.call('PATCH', path, actor, { role: 'viewer' });
      }),
    );
    const roles = await rolesIn(id, cleo);
    expect(roles.filter((role) => role === 'owner')).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ owners: 1, members: roles.length });
    const outcomes = new Set(results.map(code));
    expect(outcomes).toContain('200 SUCCESS');
    // The other owner remains the last one, or has lost the right or the membership.
    const expected = ['200 SUCCESS', '409 INVALID_STATE', '403 INSUFFICIENT_PERMISSIONS', '404 NOT_FOUND'];
    expect(expected).toEqual(expect.arrayContaining([...outcomes]));
  },
);

it.each(['owner', 'admin'] as const)(
  'does not let a member restore the role %s with a request that was authorized before the demotion',
  async (role) => {
    const id = await calls.create(ada);
    await calls.join(id, ada, ben, role);
    await calls.call('PATCH', `/${id}/members/${ben.id}`, ada, { role: 'viewer' });
    const { management } = await services().organizations();
    const account = await services().profile().get(ben.id);
    const acting = { accountId: id, account, role, hasSecondFactor: false };
    await expect(management.changeMember(acting, ben.id, role)).rejects.toMatchObject({
      code: 'INSUFFICIENT_PERMISSIONS',
    });
    expect(await rolesIn(id, ada)).toEqual(['owner', 'viewer']);
  },
);

it('revokes every key of a removed member, even one created in a request that was authorized before', async () => {
  const id = await calls.create(ada);
  const member = await service.person();
  await calls.join(id, ada, member, 'developer');
  const creator = await services().profile().get(member.id);
  const create = () => services().keys().create(creator, { name: 'late' }, id);
  const { key } = await create();
  await calls.call('DELETE', `/${id}/members/${member.id}?revokeKeys=true`, ada);
  expect((await service.call('GET', '/api/credits', { key })).status).toBe(401);
  await expect(create()).rejects.toMatchObject({ code: 'INVALID_STATE' });
});

it('is joined once by 10 parallel acceptances of an invitation', async () => {
  const id = await calls.create(ada);
  await calls.invite(id, ada, ben.email, 'developer');
  const token = await calls.tokenTo(ben.email);
  const results = await Promise.all(times(10, () => calls.accept(ben, token)));
  expect(results.map(code).toSorted()).toEqual(['200 SUCCESS', ...times(9, () => '404 NOT_FOUND')]);
  expect(await rolesIn(id, ada)).toEqual(['owner', 'developer']);
  expect(await stored(id)).toMatchObject({ owners: 1, members: 2, open: {} });
});

it('has at most 50 open invitations, after 10 parallel ones at 45', async () => {
  const id = await calls.create(ada);
  const [future, past] = [Date.now() + 86_400_000, Date.now() - 1];
  const entries = times(50, (index) => [`earlier-${index}`, index < 45 ? future : past] as const);
  await setInRow('accounts', organizationKey(id), 'open', Object.fromEntries(entries));
  const invite = (index: number) => calls.invite(id, ada, `guest-${index}@example.net`, 'viewer');
  const outcomes = (await Promise.all(times(10, invite))).map(code);
  expect(outcomes.toSorted()).toEqual([...times(5, () => '201 SUCCESS'), ...times(5, () => '409 INVALID_STATE')]);
  const open = (await stored(id))?.['open'] as Record<string, number>;
  expect(Math.min(...Object.values(open))).toBeGreaterThan(past);
  expect(Object.keys(open)).toHaveLength(50);
  const [first] = (await calls.call('GET', `/${id}/invitations`, ada)).body.data.items;
  expect((await calls.invite(id, ada, first.email, 'developer')).status).toBe(201);
  expect(code(await invite(11))).toBe('409 INVALID_STATE');
  expect((await calls.call('DELETE', `/${id}/invitations/${first.id}`, ada)).status).toBe(200);
  expect((await invite(11)).status).toBe(201);
}, 60_000);

it('loses a member or refuses the invitation when its acceptance meets the deletion of the person', async () => {
  const id = await calls.create(ada);
  const guest = await service.person();
  await calls.invite(id, ada, guest.email, 'viewer');
  const token = await calls.tokenTo(guest.email);
  const { cookie, email, password } = guest;
  const [, deleted] = await Promise.all([
    calls.accept(guest, token),
    service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } }),
  ]);
  if (deleted.status !== 200) {
    expect(code(deleted)).toBe('503 SERVICE_UNAVAILABLE');
    expect((await service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } })).status).toBe(
      200,
    );
  }
  expect(await rolesIn(id, ada)).toEqual(['owner']);
  expect(await stored(id)).toMatchObject({ owners: 1, members: 1 });
}, 60_000);
