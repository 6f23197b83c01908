import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ApiResponse,
  chat,
  code,
  type Person,
  startTestService,
  type TestService,
} from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const create = ({ cookie }: Person, body: object): Promise<ApiResponse> =>
  service.call('POST', '/api/keys', { cookie, body: { name: 'limited', ...body } });
const change = ({ cookie }: Person, id: string, body: object): Promise<ApiResponse> =>
  service.call('PATCH', `/api/keys/${id}`, { cookie, body });
const chatWith = (key: string): Promise<ApiResponse> =>
  service.call('POST', '/v1/chat/completions', { key, body: chat() });
const listed = async ({ cookie }: Person, id: string) => {
  const { body } = await service.call('GET', '/api/keys', { cookie });
  return body.data.find((key: { id: string }) => key.id === id);
};

describe('a key with a spending limit', () => {
  it('is refused beyond it with the reset, shows what is left, and leaves the account’s other keys alone', async () => {
    const person = await service.person({ credits: 100 });
    const made = await create(person, { limit: { credits: 2, period: 'day' } });
    expect(made.body.data.limit).toEqual({ credits: 2, period: 'day', used: 0, resetsAt: expect.any(String) });
    const { key, id } = made.body.data;
    const first = await chatWith(key);
    expect([first.status, first.headers.get('x-key-credits-remaining')]).toEqual([200, '1']);
    expect((await listed(person, id)).limit).toMatchObject({ credits: 2, used: 1 });
    await chatWith(key);
    const refused = await chatWith(key);
    expect(code(refused)).toBe('403 KEY_LIMIT_EXCEEDED');
    const { resetsAt } = (await listed(person, id)).limit;
    expect(refused.body.detail).toBe(
      `This call needs up to 1 credit, and the key's limit of 2 credits per day has 0 left; it resets at ${resetsAt}.`,
    );
    const other = await chatWith(person.key);
    expect([other.status, other.headers.get('x-key-credits-remaining')]).toEqual([200, null]);
  });

  it('can be given another limit, or none, at any time', async () => {
    const person = await service.person({ credits: 100 });
    const { key, id } = (await create(person, { limit: { credits: 1, period: 'total' } })).body.data;
    expect([code(await chatWith(key)), code(await chatWith(key))]).toEqual(['200 SUCCESS', '403 KEY_LIMIT_EXCEEDED']);
    const raised = await change(person, id, { limit: { credits: 2, period: 'total' } });
    expect(raised.body.data.limit).toEqual({ credits: 2, period: 'total', used: 1, resetsAt: null });
    expect([code(await chatWith(key)), code(await chatWith(key))]).toEqual(['200 SUCCESS', '403 KEY_LIMIT_EXCEEDED']);
    expect((await change(person, id, { limit: null })).body.data.limit).toBeNull();
    expect((await chatWith(key)).status).toBe(200);
  });

  it('passes limit and what was used of it on when it is rotated, for both keys together', async () => {
    const person = await service.person({ credits: 100 });
    const old = (await create(person, { limit: { credits: 2, period: 'month' }, models: ['svc-1'] })).body.data;
    await chatWith(old.key);
    const { cookie } = person;
    const rotated = await service.call('POST', `/api/keys/${old.id}/rotate`, { cookie, body: { graceSeconds: 600 } });
    expect(rotated.body.data).toMatchObject({ limit: { credits: 2, used: 1 }, models: ['svc-1'] });
    expect(code(await chatWith(rotated.body.data.key))).toBe('200 SUCCESS');
    expect(code(await chatWith(old.key))).toBe('403 KEY_LIMIT_EXCEEDED');
  });

  it('gives a completion no more output than its limit pays for', async () => {
    const person = await service.person({ credits: 100 });
    const { key } = (await create(person, { limit: { credits: 1, period: 'day' } })).body.data;
    const prompt = 'word '.repeat(990).trim();
    const body = { model: 'svc-1', prompt, max_tokens: 100 };
    const { status, headers } = await service.call('POST', '/v1/completions', { key, body });
    expect([status, headers.get('x-key-credits-remaining')]).toEqual([200, '0']);
  });

  it('admits 5 of 50 parallel calls with a limit of 5', async () => {
    const person = await service.person({ credits: 100 });
    const { key } = (await create(person, { limit: { credits: 5, period: 'day' } })).body.data;
    const responses = await Promise.all(Array.from({ length: 50 }, () => chatWith(key)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
  });
});

describe('a key with a list of models or services', () => {
  it.each([
    [{ models: ['svc-code'] }, 'The key may not use the model svc-1; it may use only: svc-code.'],
    [
      { services: ['embeddings', 'translation'] },
      'The key may not use the service chat; it may use only: embeddings, translation.',
    ],
  ])('refuses what is not in it, in both formats: %j', async (list, detail) => {
    const person = await service.person({ credits: 100 });
    const { key, id } = (await create(person, list)).body.data;
    const refused = await chatWith(key);
    expect([code(refused), refused.body.detail]).toEqual(['403 INSUFFICIENT_PERMISSIONS', detail]);
    const openai = await service.call('POST', '/openai/v1/chat/completions', { key, body: chat() });
    expect([openai.status, openai.body]).toMatchObject([403, { error: { message: detail } }]);
    expect(await listed(person, id)).toMatchObject(list);
    const opened = Object.fromEntries(Object.keys(list).map((name) => [name, null]));
    await change(person, id, opened);
    expect((await chatWith(key)).status).toBe(200);
  });
});

describe('bad limits of a key', () => {
  it.each([
    [{ limit: { credits: 0, period: 'day' } }, 'limit.credits must be positive.'],
    [{ limit: { credits: -1, period: 'day' } }, 'limit.credits must be positive.'],
    [{ limit: { credits: 1.5, period: 'day' } }, 'limit.credits must be an integer.'],
    [{ limit: { credits: 9_007_199_255, period: 'day' } }, 'limit.credits must be at most 9007199254.'],
    [{ limit: { credits: 2 ** 60, period: 'day' } }, 'limit.credits must be an integer.'],
    [{ limit: { credits: 1, period: 'week' } }, 'limit.period must be day, month or total.'],
    [{ limit: { credits: 1 } }, 'limit.period is required.'],
    [{ limit: 5 }, 'limit must be a JSON object or null.'],
    [{ models: [] }, 'models must not be empty.'],
    [{ models: 'svc-1' }, 'models must be a list or null.'],
    [{ models: ['svc-1', 'svc-1'] }, 'models must not have duplicates.'],
  ])('are refused by their field, and nothing is stored: %j', async (body, detail) => {
    const person = await service.person();
    const refused = await create(person, body);
    expect([refused.status, refused.body.detail]).toEqual([400, detail]);
    const [only] = (await service.call('GET', '/api/keys', { cookie: person.cookie })).body.data;
    expect(code(await change(person, only.id, body))).toBe('400 INVALID_FORMAT');
    expect(await listed(person, only.id)).toMatchObject({ limit: null, models: null, services: null });
  });

  it.each(['models', 'services'])('unknown %s are refused with those there are', async (field) => {
    const person = await service.person();
    const { status, body } = await create(person, { [field]: ['nothing'] });
    expect(status).toBe(400);
    expect(body.detail).toMatch(new RegExp(`^${field}(?:\\.0|\\[0\\]) must be one of `));
  });
});
