import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import {
  type ApiResponse,
  chat,
  code,
  holdOpen,
  type Person,
  usePerson,
  useTestService,
} from '#test/service/service.ts';

const service = useTestService();
const somebody = usePerson(service);

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
  it('is refused above its limit with the reset time, shows the remainder, and does not affect other keys', async () => {
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

  it('accepts a new limit, or its removal, at any time', async () => {
    const person = await service.person({ credits: 100 });
    const { key, id } = (await create(person, { limit: { credits: 1, period: 'total' } })).body.data;
    expect([code(await chatWith(key)), code(await chatWith(key))]).toEqual(['200 SUCCESS', '403 KEY_LIMIT_EXCEEDED']);
    const raised = await change(person, id, { limit: { credits: 2, period: 'total' } });
    expect(raised.body.data.limit).toEqual({ credits: 2, period: 'total', used: 1, resetsAt: null });
    expect([code(await chatWith(key)), code(await chatWith(key))]).toEqual(['200 SUCCESS', '403 KEY_LIMIT_EXCEEDED']);
    expect((await change(person, id, { limit: null })).body.data.limit).toBeNull();
    expect((await chatWith(key)).status).toBe(200);
  });

  it('shares its limit and usage with its rotated successor', async () => {
    const person = await service.person({ credits: 100 });
    const old = (await create(person, { limit: { credits: 2, period: 'month' }, models: ['svc-1'] })).body.data;
    await chatWith(old.key);
    const { cookie } = person;
    const rotated = await service.call('POST', `/api/keys/${old.id}/rotate`, { cookie, body: { graceSeconds: 600 } });
    expect(rotated.body.data).toMatchObject({ limit: { credits: 2, used: 1 }, models: ['svc-1'] });
    expect(code(await chatWith(rotated.body.data.key))).toBe('200 SUCCESS');
    expect(code(await chatWith(old.key))).toBe('403 KEY_LIMIT_EXCEEDED');
  });

  it('limits the output of a completion to the remaining amount', async () => {
    const person = await service.person({ credits: 100 });
    const { key } = (await create(person, { limit: { credits: 1, period: 'day' } })).body.data;
    const prompt = 'word '.repeat(990).trim();
    const body = { model: 'svc-1', prompt, max_tokens: 100 };
    const { status, headers } = await service.call('POST', '/v1/completions', { key, body });
    expect([status, headers.get('x-key-credits-remaining')]).toEqual([200, '0']);
  });
});

describe('a key with allowed models or services', () => {
  it.each([
    [{ models: ['svc-code'] }, 'The key may not use the model svc-1; it may use only: svc-code.'],
    [
      { services: ['embeddings', 'translation'] },
      'The key may not use the service chat; it may use only: embeddings, translation.',
    ],
  ])('returns 403 for all others, in both error formats: %j', async (list, detail) => {
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

describe('invalid limits of a key', () => {
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
  ])('return 400 with the field, and nothing is stored: %j', async (body, detail) => {
    const refused = await create(somebody, body);
    expect([refused.status, refused.body.detail]).toEqual([400, detail]);
    expect(code(await change(somebody, somebody.keyId, body))).toBe('400 INVALID_FORMAT');
    expect(await listed(somebody, somebody.keyId)).toMatchObject({ limit: null, models: null, services: null });
  });

  it.each(['models', 'services'])('with unknown %s return 400 with the valid values', async (field) => {
    const { status, body } = await create(somebody, { [field]: ['nothing'] });
    expect(status).toBe(400);
    expect(body.detail).toMatch(new RegExp(`^${field}(?:\\.0|\\[0\\]) must be one of `));
  });
});

const made = async (person: Person, body: object) => (await create(person, body)).body.data;
const codeWith = async (key: string) => code(await chatWith(key));
const revoke = ({ cookie }: Person, id: string) => service.call('DELETE', `/api/keys/${id}`, { cookie });

const rotate = async ({ cookie }: Person, id: string, graceSeconds = 0) =>
  (await service.call('POST', `/api/keys/${id}/rotate`, { cookie, body: { graceSeconds } })).body.data;

const meterOf = async ({ id }: Person) => {
  const meter = await services().metering().find(id);
  if (!meter) throw new Error('there is no meter');
  return meter;
};

const inAnHour = () => new Date(services().clock.now() + 3_600_000).toISOString();
const total = (credits: number) => ({ limit: { credits, period: 'total' } });
const day = (credits: number) => ({ limit: { credits, period: 'day' } });

describe('the budget row of a limited key', () => {
  it('is deleted with its limit after any sequence of creation, change and revocation', async () => {
    const person = await service.person({ credits: 100 });
    for (let round = 0; round < 4; round++) {
      const { id, key } = await made(person, {});
      await change(person, id, day(5));
      await codeWith(key);
      await change(person, id, { limit: null });
      await revoke(person, id);
    }
    expect((await meterOf(person)).budgets.size).toBe(0);
  });

  it('is deleted for an expired key when the next limit is set', async () => {
    const person = await service.person({ credits: 100 });
    for (let round = 0; round < 3; round++) {
      const { id, key } = await made(person, { expiresAt: inAnHour() });
      await change(person, id, day(5));
      await codeWith(key);
      await service.post('/_local/clock', { advance: 'PT61M' });
    }
    expect((await meterOf(person)).budgets.size).toBeLessThan(2);
  });

  it('stays used up for the other key of a rotation after one key changes its period', async () => {
    const person = await service.person({ credits: 100 });
    const old = await made(person, total(2));
    const fresh = await rotate(person, old.id, 600);
    expect([await codeWith(old.key), await codeWith(old.key)]).toEqual(['200 SUCCESS', '200 SUCCESS']);
    expect(await codeWith(fresh.key)).toBe('403 KEY_LIMIT_EXCEEDED');
    await change(person, old.id, day(5));
    expect(await codeWith(old.key)).toBe('200 SUCCESS');
    expect(await codeWith(fresh.key)).toBe('403 KEY_LIMIT_EXCEEDED');
  });

  it('receives no refund for a call that was charged to the previous budget', async () => {
    const person = await service.person({ credits: 100 });
    const { id, key } = await made(person, total(10));
    const open = await holdOpen(person.id, 5_000_000, { keyId: id, requestId: 'req_open' });
    await change(person, id, { limit: null });
    await made(person, total(1));
    await change(person, id, total(10));
    await codeWith(key);
    await open.settle(0, Date.now());
    expect([...(await meterOf(person)).budgets.values()].map(({ used }) => used)).toEqual([1_000_000]);
  });

  it('is not recreated for an expired key unless a limit is sent', async () => {
    const person = await service.person({ credits: 100 });
    const { id, key } = await made(person, { ...total(1), expiresAt: inAnHour() });
    expect(await codeWith(key)).toBe('200 SUCCESS');
    await service.post('/_local/clock', { advance: 'PT61M' });
    await made(person, total(1));
    expect(code(await change(person, id, { expiresAt: null }))).toBe('409 INVALID_STATE');
    expect(await codeWith(key)).toBe('401 INVALID_API_KEY');
    expect(code(await change(person, id, { expiresAt: null, ...total(1) }))).toBe('200 SUCCESS');
    expect(await codeWith(key)).toBe('200 SUCCESS');
  });
});
