import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subscriptionCalls } from '#test/requests/subscription-calls.ts';
import { chat, code, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const { call, subscribe, current, credits, advance } = subscriptionCalls(() => service);

describe('POST /subscription/create', () => {
  it('starts the plan immediately: limits, credits, next billing date, and the free allowance stays beside it', async () => {
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

  it('needs a confirmed account, echoes the id it was sent, and has one winner of many concurrent ones', async () => {
    const { cookie } = await service.registered();
    const body = { planId: '2', billingCycle: 'monthly' };
    expect(code(await service.call('POST', '/api/subscription/create', { cookie, body }))).toBe(
      '403 ACCOUNT_NOT_CONFIRMED',
    );
    const person = await service.person();
    const responses = await Promise.all(Array.from({ length: 20 }, () => subscribe(person, '2')));
    expect(responses.filter(({ status }) => status === 200).map(({ body }) => body.data.planId)).toEqual(['2']);
    expect(new Set(responses.map(code))).toEqual(new Set(['200 SUCCESS', '409 ALREADY_SUBSCRIBED']));
    expect((await credits(person)).balance).toBe(5100);
  });
});

describe('a year of months', () => {
  it('renews each month, rolls credits over for three months and never more', async () => {
    const person = await service.person();
    await subscribe(person, 'dev_pass');
    const balances: number[] = [];
    for (let month = 0; month < 6; month++) {
      await advance('P1M');
      balances.push((await credits(person)).balance);
    }
    expect(balances).toEqual([10_000, 15_000, 20_000, 20_000, 20_000, 20_000]);
  });
});
