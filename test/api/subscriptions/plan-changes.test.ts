import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { day, subscriptionCalls } from '#test/requests/subscription-calls.ts';
import { code, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const { call, subscribe, current, credits, advance, now } = subscriptionCalls(() => service);

describe('change of plan', () => {
  it('upgrades immediately, prorated to the second, on the same billing date', async () => {
    const person = await service.person();
    const { body: begun } = await subscribe(person, 'dev_pass');
    await advance('P10D');
    const from = await now();
    const { body } = await call('PUT', '/api/subscription/upgrade-plan', person, { newPlanId: 'pro_pass' });
    const until = await now();
    const { proration, ...subscription } = body.data;
    expect(subscription).toEqual({ ...begun.data, planId: 'pro_pass', monthlyCredits: 100_000, price: 299.99 });
    const end = Date.parse(proration.to);
    expect(day(end)).toBe(begun.data.nextBillingDate);
    expect(Date.parse(proration.from)).toBeGreaterThan(from - 1000);
    expect(Date.parse(proration.from)).toBeLessThanOrEqual(until);
    const start = new Date(end).setUTCMonth(new Date(end).getUTCMonth() - 1);
    const share = (end - Date.parse(proration.from)) / (end - start);
    expect(proration.credits).toBe(Math.ceil(95_000 * share));
    expect(proration.amount).toBe(Math.round(27_000 * share) / 100);
    expect((await credits(person)).balance).toBe(5100 + proration.credits);
  });

  it('shows before an upgrade what it comes to, and changes nothing', async () => {
    const person = await service.person();
    const preview = (plan: string) => call('GET', `/api/subscription/upgrade-plan/preview?newPlanId=${plan}`, person);
    expect(code(await preview('pro_pass'))).toBe('409 INVALID_STATE');
    await subscribe(person, 'dev_pass');
    await advance('P10D');
    const [previewed, again] = [await preview('pro_pass'), await preview('4')];
    expect(again.body.data.to).toBe(previewed.body.data.to);
    expect(await current(person)).toMatchObject({ planId: 'dev_pass' });
    const { body } = await call('PUT', '/api/subscription/upgrade-plan', person, { newPlanId: 'pro_pass' });
    expect(Math.abs(body.data.proration.amount - previewed.body.data.amount)).toBeLessThan(0.02);
    expect(Math.abs(body.data.proration.credits - previewed.body.data.credits)).toBeLessThan(3);
    expect(code(await preview('dev_pass'))).toBe('400 INVALID_FORMAT');
    expect(code(await preview('enterprise'))).toBe('403 INSUFFICIENT_PERMISSIONS');
  });

  it('downgrades with the next cycle, which an upgrade before it takes back', async () => {
    const person = await service.person();
    await subscribe(person, 'smm_pass');
    const { body } = await call('PUT', '/api/subscription/downgrade-plan', person, { newPlanId: 'dev_pass' });
    expect(body.data).toMatchObject({
      planId: 'smm_pass',
      pendingPlanId: 'dev_pass',
      monthlyCredits: 25_000,
      status: 'active',
    });
    await advance('P32D');
    expect(await current(person)).toMatchObject({
      planId: 'dev_pass',
      monthlyCredits: 5000,
      price: 29.99,
      creditsUsed: 0,
    });
    expect(await current(person)).not.toHaveProperty('pendingPlanId');
    await call('PUT', '/api/subscription/downgrade-plan', person, { newPlanId: 'freemium' });
    const upgraded = await call('PUT', '/api/subscription/upgrade-plan', person, { newPlanId: 'smm_pass' });
    expect(upgraded.body.data).not.toHaveProperty('pendingPlanId');
    await advance('P32D');
    expect(await current(person)).toMatchObject({ planId: 'smm_pass' });
  });

  it('to the plan that is there takes a pending downgrade back, and is refused where none is pending', async () => {
    const person = await service.person();
    const { body: begun } = await subscribe(person, 'smm_pass');
    const change = (newPlanId: string) => call('PUT', '/api/subscription/downgrade-plan', person, { newPlanId });
    await change('dev_pass');
    expect((await change('smm_pass')).body.data).toEqual(begun.data);
    expect(code(await change('smm_pass'))).toBe('409 INVALID_STATE');
    await advance('P32D');
    expect(await current(person)).toMatchObject({ planId: 'smm_pass', monthlyCredits: 25_000 });
  });

  it('is refused where it makes no sense, with a pointer to what does', async () => {
    const person = await service.person();
    const change = (way: string, newPlanId: string) =>
      call('PUT', `/api/subscription/${way}-plan`, person, { newPlanId });
    expect(code(await change('upgrade', 'pro_pass'))).toBe('409 INVALID_STATE');
    await subscribe(person, 'smm_pass');
    const down = await change('upgrade', 'dev_pass');
    expect([code(down), down.body.detail]).toEqual(['400 INVALID_FORMAT', expect.stringContaining('downgrade-plan')]);
    const up = await change('downgrade', 'pro_pass');
    expect([code(up), up.body.detail]).toEqual(['400 INVALID_FORMAT', expect.stringContaining('upgrade-plan')]);
    expect(code(await change('upgrade', 'smm_pass'))).toBe('409 INVALID_STATE');
    expect(code(await change('downgrade', '3'))).toBe('409 INVALID_STATE');
    expect(code(await change('upgrade', 'enterprise'))).toBe('403 INSUFFICIENT_PERMISSIONS');
    expect(code(await change('upgrade', 'gold'))).toBe('400 INVALID_FORMAT');
  });
});
