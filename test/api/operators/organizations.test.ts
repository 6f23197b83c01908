import { beforeAll, describe, expect, it } from 'vitest';
import { useOperator } from '#test/requests/operator-actions.ts';
import { organizationCalls } from '#test/requests/organizations.ts';
import { chat, code, usePerson } from '#test/service/service.ts';

const { service, operator, act, eventsOf, grant } = useOperator();
const ada = usePerson(service);
let calls: ReturnType<typeof organizationCalls>;
beforeAll(() => {
  calls = organizationCalls(service);
});

async function organization() {
  const id = await calls.create(ada, 'Secret Harbor');
  const made = await calls.within(id, 'POST', '/api/keys', { cookie: ada.cookie, body: { name: 'shared' } });
  return { id, key: String(made.body.data.key), keyId: String(made.body.data.id) };
}
const complete = (key: string) => service.call('POST', '/v1/chat/completions', { key, body: chat() });
const read = (path: string) => service.call('GET', `/api/operator/accounts${path}`, { cookie: operator.cookie });

describe('an operator', () => {
  it('finds an organization by its id and the prefix of a key, with the address of its oldest owner', async () => {
    const { id, key } = await organization();
    const expected = { id, name: 'Secret Harbor', email: ada.email, status: 'active' };
    expect((await read(`?id=${id}`)).body.data).toMatchObject(expected);
    expect((await read(`?keyPrefix=${key.slice(0, 13)}`)).body.data).toMatchObject(expected);
    for (const part of ['', '/entries', '/keys', '/mails', '/requests', '/payments', '/webhooks'])
      expect([part, (await read(`/${id}${part}`)).status]).toEqual([part, 200]);
  });

  it('sees the organizations of a person, which a suspension of the person leaves active', async () => {
    const owner = await service.person();
    const [own, other] = [await calls.create(owner, 'Quay'), await calls.create(ada, 'Pier')];
    await calls.join(other, ada, owner, 'viewer');
    await act('POST', `${other}/suspend`);
    await act('POST', `${owner.id}/suspend`);
    expect((await read(`/${owner.id}`)).body.data.organizations).toEqual([
      { id: own, name: 'Quay', role: 'owner', status: 'active' },
      { id: other, name: 'Pier', role: 'viewer', status: 'suspended' },
    ]);
    expect((await read(`/${own}`)).body.data).toMatchObject({ status: 'active', organizations: [] });
  });

  it('suspends an organization, whose keys and members are refused until it is resumed', async () => {
    const { id, key } = await organization();
    const credits = () => calls.within(id, 'GET', '/api/credits', { cookie: ada.cookie });
    expect((await act('POST', `${id}/suspend`)).body.data).toMatchObject({ id, status: 'suspended' });
    expect(code(await act('POST', `${id}/suspend`))).toBe('409 INVALID_STATE');
    expect([(await complete(key)).status, code(await credits())]).toEqual([401, '403 INSUFFICIENT_PERMISSIONS']);
    expect((await complete(ada.key)).status).toBe(200);
    expect((await act('POST', `${id}/resume`)).body.data.status).toBe('active');
    expect([(await complete(key)).status, code(await credits())]).toEqual([200, '200 SUCCESS']);
    const events: { action: string }[] = await eventsOf({ id });
    expect(events.map(({ action }) => action)).toEqual(['resume', 'suspend']);
  });

  it('suspends a key of an organization and grants it credits', async () => {
    const { id, key, keyId } = await organization();
    expect((await grant({ id }, 7)).status).toBe(200);
    const { body } = await calls.within(id, 'GET', '/api/credits', { cookie: ada.cookie });
    expect(body.data.lots).toContainEqual(expect.objectContaining({ granted: 7 }));
    expect((await act('POST', `${id}/keys/${keyId}/suspend`)).body.data.status).toBe('suspended');
    expect((await complete(key)).status).toBe(401);
  });

  it('may not act on an organization of which the operator is a member', async () => {
    const { id } = await organization();
    await calls.join(id, ada, operator, 'viewer');
    expect(code(await grant({ id }, 1000))).toBe('403 INSUFFICIENT_PERMISSIONS');
    const own = await calls.create(operator, 'Own');
    for (const action of ['suspend', 'resume'])
      expect(code(await act('POST', `${own}/${action}`))).toBe('403 INSUFFICIENT_PERMISSIONS');
  });

  it('does not find a deleted organization to act on', async () => {
    const { id } = await organization();
    await calls.call('DELETE', `/${id}`, ada);
    expect((await read(`?id=${id}`)).body.data.status).toBe('deleted');
    expect(code(await act('POST', `${id}/suspend`))).toBe('409 INVALID_STATE');
  });
});
