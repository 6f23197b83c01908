import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import { requestReader } from '#test/requests/request-records.ts';
import { chat, type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const { list, recorded } = requestReader(() => service);
const complete = (key: string, body: unknown = chat()) => service.call('POST', '/v1/chat/completions', { key, body });
const stored = async ({ id }: Person) => (await rowsOf('requests')).filter(({ a }) => a === id);

describe('the list', () => {
  let person: Person;
  let other: Person;
  beforeAll(async () => {
    person = await service.person({ planRank: 2 });
    other = await service.person({ planRank: 2 });
    for (let call = 0; call < 5; call++) await complete(person.key);
    await complete(person.key, { ...chat(), temperature: 3 });
    await service.call('POST', '/api/ai/translate', {
      key: person.key,
      body: { text: 'Good morning.', sourceLanguage: 'en', targetLanguage: 'fr' },
    });
    await complete(other.key);
    await recorded(person, 7);
    await recorded(other, 1);
  });

  it('is filtered by day, status, service, model and key', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const counts = async (query: string) => (await list(person, `?${query}`)).requests.length;
    expect(await counts('status=2xx')).toBe(6);
    expect(await counts('status=400')).toBe(1);
    expect(await counts('status=5xx')).toBe(0);
    expect(await counts('service=translation')).toBe(1);
    expect(await counts('model=svc-1&status=2xx')).toBe(5);
    expect(await counts(`keyId=${person.keyId}`)).toBe(7);
    expect(await counts(`keyId=${other.keyId}`)).toBe(0);
    expect(await counts(`from=${today}`)).toBe(7);
    expect(await counts('from=2999-01-01')).toBe(0);
    expect(await counts('to=2020-01-01')).toBe(0);
    for (const wrong of ['status=6xx', 'service=poems', 'from=soon', 'cursor=x', 'from=2026-02-02&to=2026-02-01'])
      expect((await list(person, `?${wrong}`)).status).toBe(400);
  });

  it('is paged by its cursor, each request once, newest first', async () => {
    const seen: { requestId: string; at: string }[] = [];
    let cursor: string | null = '';
    do {
      const page: any = await list(person, `?limit=2${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
      seen.push(...page.requests);
      cursor = page.nextCursor;
    } while (cursor !== null);
    const { requests } = await list(person);
    expect(seen).toEqual(requests);
    expect(new Set(seen.map(({ requestId }) => requestId)).size).toBe(7);
    expect(seen.map(({ at }) => at)).toEqual(
      seen
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
  });

  it('has the requests of its own account only, also with a cursor of another', async () => {
    const { nextCursor } = await list(person, '?limit=1');
    const { requests } = await list(other, `?cursor=${encodeURIComponent(nextCursor)}`);
    const mine = new Set((await list(person)).requests.map(({ requestId }: any) => requestId));
    expect(requests.some(({ requestId }: any) => mine.has(requestId))).toBe(false);
    expect((await list(other)).requests.length).toBe(1);
    const { body } = await service.call('GET', '/api/requests', { key: person.key });
    expect(body.data.requests).toEqual((await list(person)).requests);
  });

  it('forgets a request after 30 days, and its row is removed', async () => {
    await service.post('/_local/clock', { advance: 'P31D' });
    const { cookie } = await service
      .call('POST', '/api/auth/login', {
        body: { email: person.email, password: person.password },
      })
      .then(({ headers }) => ({ cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' }));
    expect((await list({ cookie })).requests).toEqual([]);
    for (let tries = 0; tries < 50 && (await stored(person)).length > 0; tries++) await service.settled();
    expect(await stored(person)).toEqual([]);
  });
});
