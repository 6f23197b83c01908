import { beforeAll, describe, expect, it } from 'vitest';
import { organizationCalls } from '#test/requests/organizations.ts';
import { chat, code, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const ada = usePerson(service);
const ben = usePerson(service);
let calls: ReturnType<typeof organizationCalls>;
let id: number;
beforeAll(async () => {
  calls = organizationCalls(service);
  id = await calls.create(ada);
  await calls.join(id, ada, ben, 'developer');
});

async function spend(cookie: string, times: number): Promise<void> {
  const made = await calls.within(id, 'POST', '/api/keys', { cookie, body: { name: 'shared' } });
  for (let call = 0; call < times; call++)
    await service.call('POST', '/v1/chat/completions', { key: made.body.data.key, body: chat() });
}

async function usage(query = '') {
  const path = `/api/usage?group=member${query}`;
  return (await calls.within(id, 'GET', path, { cookie: ada.cookie })).body.data;
}

describe('usage by member', () => {
  it('sums the calls of all keys that a member created, in any time zone, even after the member has left', async () => {
    await spend(ada.cookie, 1);
    for (const times of [1, 2]) await spend(ben.cookie, times);
    const translation = { text: 'Hello', sourceLanguage: 'en', targetLanguage: 'fr' };
    const session = { cookie: ada.cookie, body: translation };
    expect((await calls.within(id, 'POST', '/api/ai/translate', session)).status).toBe(200);
    await service.settled();
    const callsBy = (listed: any[]) =>
      Object.fromEntries(listed.map(({ memberId, calls: count }) => [memberId, count]));
    const all = { [ada.id]: 1, [ben.id]: 3, null: 1 };
    const { days } = await usage();
    expect(callsBy(days)).toEqual(all);
    expect(Object.keys(days[0]).toSorted()).toEqual(expect.arrayContaining(['calls', 'credits', 'date', 'memberId']));
    expect(days[0]).not.toHaveProperty('keyId');
    expect(callsBy((await usage('&timezone=Asia/Kathmandu')).days)).toEqual(all);
    await calls.call('DELETE', `/${id}/members/${ben.id}`, ada);
    expect(callsBy((await usage()).days)).toEqual(all);
  });

  it('of a personal organization is that of the person', async () => {
    await service.call('POST', '/v1/chat/completions', { key: ada.key, body: chat() });
    await service.settled();
    const own = await service.call('GET', '/api/usage?group=member', { key: ada.key });
    expect(own.body.data.days).toMatchObject([{ memberId: ada.id, calls: 1 }]);
    const refused = await service.call('GET', '/api/usage?group=person', { key: ada.key });
    expect([code(refused), refused.body.detail]).toEqual([
      '400 INVALID_FORMAT',
      'group must be service, model, key or member.',
    ]);
  });
});
