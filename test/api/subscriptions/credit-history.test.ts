import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { day, subscriptionCalls } from '#test/requests/subscription-calls.ts';
import { type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const { call, subscribe, current, credits, advance } = subscriptionCalls(() => service);
const change = (way: 'upgrade' | 'downgrade', person: Person, newPlanId: string) =>
  call('PUT', `/api/subscription/${way}-plan`, person, { newPlanId });

/** Changes in the ledger, oldest first: type, kind, plan and effective day. */
async function changesOf(person: Person) {
  await service.settled();
  const { entries } = await credits(person);
  return entries
    .filter(({ change }: any) => change)
    .map(({ type, change: { kind, plan, effectiveAt } }: any) => [
      type,
      kind,
      plan,
      effectiveAt && day(Date.parse(effectiveAt)),
    ])
    .toReversed();
}

describe('the credit history', () => {
  it('records every subscription change with its plan and effective date', async () => {
    const person = await service.person();
    const { body } = await subscribe(person, '2');
    const { id, nextBillingDate: first } = body.data;
    await change('upgrade', person, 'pro_pass');
    await change('downgrade', person, 'dev_pass');
    await change('downgrade', person, 'pro_pass');
    await call('PATCH', `/api/subscription/${id}/cancel`, person);
    await call('PATCH', `/api/subscription/${id}/resume`, person);
    await change('downgrade', person, 'smm_pass');
    await advance('P32D');
    const { nextBillingDate: third } = await current(person);
    await advance('P31D');
    await current(person);
    await call('PATCH', `/api/subscription/${id}/cancel`, person);
    await subscribe(person, 'smm_pass');
    expect(third).not.toBe(first);
    expect(await changesOf(person)).toEqual([
      ['grant', 'subscribed', 'dev_pass', undefined],
      ['grant', 'upgraded', 'pro_pass', undefined],
      ['adjustment', 'downgrade_scheduled', 'dev_pass', first],
      ['adjustment', 'downgrade_cancelled', 'pro_pass', undefined],
      ['adjustment', 'cancelled', 'pro_pass', first],
      ['adjustment', 'resumed', 'pro_pass', undefined],
      ['adjustment', 'downgrade_scheduled', 'smm_pass', first],
      ['grant', 'downgraded', 'smm_pass', undefined],
      ['grant', 'renewed', 'smm_pass', undefined],
      ['adjustment', 'cancelled', 'smm_pass', expect.any(String)],
      ['adjustment', 'resumed', 'smm_pass', undefined],
    ]);
  });

  it('distinguishes a plan that operators assigned from one that the account chose', async () => {
    const person = await service.person();
    for (const plan of ['enterprise', 'enterprise', 'dev_pass'])
      await services().subscriptions().assign(person.id, plan);
    expect(await changesOf(person)).toEqual([
      ['grant', 'assigned', 'enterprise', undefined],
      ['adjustment', 'assigned', 'enterprise', undefined],
      ['grant', 'assigned', 'dev_pass', undefined],
    ]);
  });

  it('records no change for the monthly free grant', async () => {
    const person = await service.person();
    await service.settled();
    const { entries } = await credits(person);
    expect(entries).toMatchObject([{ type: 'grant', source: 'free' }]);
    expect(entries[0]).not.toHaveProperty('change');
  });
});
