import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { subscriptionCalls, day } from '#test/requests/subscription-calls.ts';
import { chat, code, useTestService, type Person } from '#test/service/service.ts';

const service = useTestService();

const { call, subscribe, current, credits, advance } = subscriptionCalls(service);

describe('POST /subscription/create', () => {
  it('starts the plan immediately with its limits, credits and billing date, and keeps the free allowance', async () => {
    const person = await service.person();
    const { status, body } = await subscribe(person, 'dev_pass');
    expect(status).toBe(200);
    expect(body).toEqual({
      message: 'SUCCESS',
      error: false,
      status: 200,
      data: {
        id: expect.stringMatching(/^\w+$/),
        planId: 'dev_pass',
        status: 'active',
        monthlyCredits: 5000,
        creditsUsed: 0,
        nextBillingDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        price: 29.99,
      },
    });
    const { balance, held, lots, entries } = await credits(person);
    expect([balance, held]).toEqual([5100, 0]);
    expect(lots.map(({ source, granted }: Record<string, unknown>) => [source, granted])).toEqual([
      ['free', 100],
      ['plan', 5000],
    ]);
    expect(entries.map(({ type, credits, balance }: Record<string, unknown>) => [type, credits, balance])).toEqual([
      ['grant', 5000, 5100],
      ['grant', 100, 100],
    ]);
    const response = await call('POST', '/v1/chat/completions', person, chat());
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('100');
    expect((await current(person)).creditsUsed).toBe(1);
    expect((await call('GET', '/api/auth/me', person)).body.data.isSubscribe).toBe(true);
  });

  it.each([
    [{ planId: 'gold', billingCycle: 'monthly' }, '400 INVALID_FORMAT'],
    [{ planId: 2, billingCycle: 'monthly' }, '400 INVALID_FORMAT'],
    [{ planId: 'dev_pass' }, '400 INVALID_FORMAT'],
    [{ planId: 'dev_pass', billingCycle: 'yearly' }, '400 INVALID_FORMAT'],
    [{ billingCycle: 'monthly' }, '400 INVALID_FORMAT'],
    [{ planId: 'enterprise', billingCycle: 'monthly' }, '403 INSUFFICIENT_PERMISSIONS'],
    [{ planId: '5', billingCycle: 'monthly' }, '403 INSUFFICIENT_PERMISSIONS'],
  ])('responds to %j with %s', async (body, expected) => {
    expect(code(await call('POST', '/api/subscription/create', await service.person(), body))).toBe(expected);
  });

  it('requires a confirmed account and a known plan, and echoes the plan id as it was sent', async () => {
    const { cookie } = await service.registered();
    const invalid = { planId: 'nope', billingCycle: 'monthly' };
    const refused = await service.call('POST', '/api/subscription/create', { cookie, body: invalid });
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      'planId must be the name of a plan, or its id as a string.',
    ]);
    const body = { planId: '2', billingCycle: 'monthly' };
    expect(code(await service.call('POST', '/api/subscription/create', { cookie, body }))).toBe(
      '403 ACCOUNT_NOT_CONFIRMED',
    );
    expect((await subscribe(await service.person(), '2')).body.data.planId).toBe('2');
  });
});

describe('a plan change', () => {
  it('previews the cost of an upgrade without changes', async () => {
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

  it('downgrades with the next cycle, unless an upgrade cancels it', async () => {
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

  it('to the current plan cancels a pending downgrade, and returns 409 without one', async () => {
    const person = await service.person();
    const { body: begun } = await subscribe(person, 'smm_pass');
    const change = (newPlanId: string) => call('PUT', '/api/subscription/downgrade-plan', person, { newPlanId });
    await change('dev_pass');
    expect((await change('smm_pass')).body.data).toEqual(begun.data);
    expect(code(await change('smm_pass'))).toBe('409 INVALID_STATE');
    await advance('P32D');
    expect(await current(person)).toMatchObject({ planId: 'smm_pass', monthlyCredits: 25_000 });
  });

  it('returns an error that names the right operation for an impossible change', async () => {
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
