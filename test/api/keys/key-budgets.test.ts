import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { chat, code, type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const create = async ({ cookie }: Person, body: object) =>
  (await service.call('POST', '/api/keys', { cookie, body: { name: 'limited', ...body } })).body.data;
const change = ({ cookie }: Person, id: string, body: object) =>
  service.call('PATCH', `/api/keys/${id}`, { cookie, body });
const revoke = ({ cookie }: Person, id: string) => service.call('DELETE', `/api/keys/${id}`, { cookie });
const rotate = async ({ cookie }: Person, id: string, graceSeconds = 0) =>
  (await service.call('POST', `/api/keys/${id}/rotate`, { cookie, body: { graceSeconds } })).body.data;
const chatWith = async (key: string) => code(await service.call('POST', '/v1/chat/completions', { key, body: chat() }));
const meterOf = async ({ id }: Person) => {
  const meter = await services().metering().find(id);
  if (!meter) throw new Error('there is no meter');
  return meter;
};
const total = (credits: number) => ({ limit: { credits, period: 'total' } });
const day = (credits: number) => ({ limit: { credits, period: 'day' } });

describe('the budget of a limited key', () => {
  it('goes with its limit, however often keys are created, limited, opened and revoked', async () => {
    const person = await service.person({ credits: 100 });
    for (let round = 0; round < 4; round++) {
      const { id, key } = await create(person, {});
      await change(person, id, day(5));
      await chatWith(key);
      await change(person, id, { limit: null });
      await revoke(person, id);
    }
    expect((await meterOf(person)).budgets.size).toBe(0);
  });

  it('of keys that expire goes with the next limit', async () => {
    const person = await service.person({ credits: 100 });
    for (let round = 0; round < 3; round++) {
      const { id, key } = await create(person, { expiresAt: new Date(Date.now() + 400).toISOString() });
      await change(person, id, day(5));
      await chatWith(key);
      await sleep(450);
    }
    expect((await meterOf(person)).budgets.size).toBeLessThan(2);
  });

  it('of one period is not spent again after a limit of another', async () => {
    const person = await service.person({ credits: 100 });
    const old = await create(person, total(2));
    const fresh = await rotate(person, old.id, 600);
    expect([await chatWith(old.key), await chatWith(old.key)]).toEqual(['200 SUCCESS', '200 SUCCESS']);
    expect(await chatWith(fresh.key)).toBe('403 KEY_LIMIT_EXCEEDED');
    await change(person, old.id, day(5));
    expect(await chatWith(old.key)).toBe('200 SUCCESS');
    expect(await chatWith(fresh.key)).toBe('403 KEY_LIMIT_EXCEEDED');
  });

  it('is not given back what was taken from the one before it', async () => {
    const person = await service.person({ credits: 100 });
    const { id, key } = await create(person, total(10));
    const now = Date.now();
    const open = await services()
      .metering()
      .admit({
        accountId: person.id,
        keyId: id,
        requestId: 'req_open',
        service: 'chat',
        model: 'svc-1',
        minPlanRank: 1,
        amount: 5_000_000,
        now,
        deadline: Math.floor(now / 1000) + 60,
      });
    await change(person, id, { limit: null });
    await create(person, total(1));
    await change(person, id, total(10));
    await chatWith(key);
    await open.settle(0, Date.now());
    expect([...(await meterOf(person)).budgets.values()].map(({ used }) => used)).toEqual([1_000_000]);
  });

  it('of a key that has expired is not begun again without its limit being sent', async () => {
    const person = await service.person({ credits: 100 });
    const { id, key } = await create(person, { ...total(1), expiresAt: new Date(Date.now() + 600).toISOString() });
    expect(await chatWith(key)).toBe('200 SUCCESS');
    // A key works to the end of the second in which it expires.
    await sleep(1700);
    await create(person, total(1));
    expect(code(await change(person, id, { expiresAt: null }))).toBe('409 INVALID_STATE');
    expect(await chatWith(key)).toBe('401 INVALID_API_KEY');
    expect(code(await change(person, id, { expiresAt: null, ...total(1) }))).toBe('200 SUCCESS');
    expect(await chatWith(key)).toBe('200 SUCCESS');
  });
});
