import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { itemBytes } from '#test/database/item-size.ts';
import { rowsOf } from '#test/database/rows.ts';
import { times } from '#test/many.ts';
import { code, type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();

const call = (method: string, path: string, { key }: Person, body?: unknown) =>
  service.call(method, `/api/${path}`, { key, body });
const create = (person: Person, planId: string) =>
  call('POST', 'subscription/create', person, { planId, billingCycle: 'monthly' });
const upgrade = (person: Person, newPlanId: string) => call('PUT', 'subscription/upgrade-plan', person, { newPlanId });
const downgrade = (person: Person, newPlanId: string) =>
  call('PUT', 'subscription/downgrade-plan', person, { newPlanId });
const current = async (person: Person) => (await call('GET', 'subscription', person)).body.data;
const onIt = async (act: 'cancel' | 'resume', person: Person) =>
  call('PATCH', `subscription/${(await current(person))?.id ?? 'none'}/${act}`, person);
const cancel = (person: Person) => onIt('cancel', person);
const resume = (person: Person) => onIt('resume', person);
const credits = async (person: Person) => (await call('GET', 'credits?limit=200', person)).body.data;

/** All whole credits granted for plans, from the ledger. */
async function minted(person: Person): Promise<number> {
  const rows = (await rowsOf('ledger')).filter(({ a, type }) => a === person.id && type === 'grant');
  return rows.reduce((sum, { amount }) => sum + Number(amount) / 1_000_000, 0) - 100;
}

describe('a loop within one paid month', () => {
  const loops: Record<string, [(person: Person) => Promise<unknown>, mostExpensive: number]> = {
    'create, cancel': [
      async (person) => {
        await create(person, 'pro_pass');
        await cancel(person);
      },
      100_000,
    ],
    'create, cancel, resume': [
      async (person) => {
        await create(person, 'dev_pass');
        await cancel(person);
        await resume(person);
        await cancel(person);
      },
      5000,
    ],
    'create, upgrade, cancel, create smaller, upgrade': [
      async (person) => {
        await create(person, 'dev_pass');
        await upgrade(person, 'smm_pass');
        await upgrade(person, 'pro_pass');
        await cancel(person);
      },
      100_000,
    ],
    'create larger after each cancellation': [
      async (person) => {
        for (const plan of ['freemium', 'dev_pass', 'smm_pass', 'dev_pass', 'freemium']) {
          await create(person, plan);
          await cancel(person);
        }
      },
      25_000,
    ],
    'downgrade, take it back, upgrade': [
      async (person) => {
        await create(person, 'smm_pass');
        await downgrade(person, 'freemium');
        await downgrade(person, 'smm_pass');
        await downgrade(person, 'dev_pass');
        await upgrade(person, 'pro_pass');
        await cancel(person);
      },
      100_000,
    ],
  };

  it.each(Object.keys(loops))('grants at most the credits of its most expensive plan: %s', async (name) => {
    const [loop, mostExpensive] = loops[name]!;
    const person = await service.person();
    for (let round = 0; round < 6; round++) await loop(person);
    await service.settled();
    expect(await minted(person)).toBeLessThanOrEqual(mostExpensive);
    expect((await credits(person)).balance).toBeLessThanOrEqual(mostExpensive + 100);
    expect(itemBytes((await rowsOf('meters')).find(({ a }) => a === person.id)!)).toBeLessThan(1200);
  });
});

describe('concurrent requests', () => {
  it('to subscribe grant credits once', async () => {
    const person = await service.person();
    const responses = await Promise.all(times(50, () => create(person, 'pro_pass')));
    expect(responses.map(code).filter((response) => response.startsWith('200'))).toHaveLength(1);
    expect((await credits(person)).balance).toBe(100_100);
  });

  it('to subscribe again after a cancellation resume the subscription once and grant nothing', async () => {
    const person = await service.person();
    await create(person, 'pro_pass');
    await cancel(person);
    const responses = await Promise.all(times(50, () => create(person, 'pro_pass')));
    expect(responses.map(code).filter((response) => response.startsWith('200'))).toHaveLength(1);
    expect((await credits(person)).balance).toBe(100_100);
  });

  it('to resume and to cancel end in one state and grant nothing', async () => {
    const person = await service.person();
    await create(person, 'pro_pass');
    const { id } = await current(person);
    const responses = await Promise.all(
      times(40, (index) => call('PATCH', `subscription/${id}/${index % 2 === 0 ? 'cancel' : 'resume'}`, person)),
    );
    const done = responses.filter(({ status }) => status === 200).map(({ body }) => body.data.status);
    const [cancelled, resumed] = ['cancelled', 'active'].map((status) => done.filter((one) => one === status).length);
    const { status } = await current(person);
    expect(cancelled! - resumed!).toBe(status === 'cancelled' ? 1 : 0);
    expect((await credits(person)).balance).toBe(100_100);
  });

  it('to subscribe and to upgrade grant the credits of the most expensive plan, in any order', async () => {
    const person = await service.person();
    await create(person, 'dev_pass');
    await cancel(person);
    const plans = ['dev_pass', 'smm_pass', 'pro_pass'];
    await Promise.all(times(24, (index) => (index % 2 ? upgrade : create)(person, plans[index % 3]!)));
    await create(person, 'pro_pass');
    await upgrade(person, 'pro_pass');
    await service.settled();
    expect(await minted(person)).toBeLessThanOrEqual(100_000);
    expect(await minted(person)).toBeGreaterThan(99_900);
  });
});

describe('an operator', () => {
  it('who assigns the current plan again grants nothing', async () => {
    const person = await service.person({ planRank: 4 });
    await services().subscriptions().assign(person.id, 'pro_pass');
    await cancel(person);
    await services().subscriptions().assign(person.id, 'pro_pass');
    expect([(await current(person)).status, (await credits(person)).balance]).toEqual(['active', 100_100]);
  });
});
