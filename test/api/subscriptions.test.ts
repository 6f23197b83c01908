import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, type Person, startTestService, type TestService } from '#test/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const call = (method: string, path: string, { key }: Person, body?: unknown) =>
  service.call(method, path, { key, body });
const subscribe = (person: Person, planId: string) =>
  call('POST', '/api/subscription/create', person, { planId, billingCycle: 'monthly' });
const cancel = async (person: Person) =>
  call('PATCH', `/api/subscription/${(await current(person)).id}/cancel`, person);
const cancelled = async (person: Person) => (await cancel(person)).body.data;
const resume = (person: Person, id: string) => call('PATCH', `/api/subscription/${id}/resume`, person);
const current = async (person: Person) => (await call('GET', '/api/subscription', person)).body.data;
const credits = async (person: Person) => (await call('GET', '/api/credits', person)).body.data;
const advance = (duration: string) => service.post('/_local/clock', { advance: duration });
const now = async () =>
  Date.parse(((await (await fetch(`${service.origin}/_local/clock`)).json()) as { now: string }).now);
const day = (moment: number) => new Date(moment).toISOString().slice(0, 10);
const code = ({ status, body }: { status: number; body: { message: string } }) => `${status} ${body.message}`;

describe('POST /subscription/create', () => {
  it('starts the plan at once: limits, credits, next billing date, and the free allowance stays beside it', async () => {
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
    const answer = await call('POST', '/v1/chat/completions', person, chat());
    expect(answer.headers.get('x-ratelimit-limit-requests')).toBe('100');
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
  ])('answers %j with %s', async (body, expected) => {
    expect(code(await call('POST', '/api/subscription/create', await service.person(), body))).toBe(expected);
  });

  it('needs a confirmed account, echoes the id it was sent, and has one winner of many at once', async () => {
    const { cookie } = await service.registered();
    const body = { planId: '2', billingCycle: 'monthly' };
    expect(code(await service.call('POST', '/api/subscription/create', { cookie, body }))).toBe(
      '403 ACCOUNT_NOT_CONFIRMED',
    );
    const person = await service.person();
    const answers = await Promise.all(Array.from({ length: 20 }, () => subscribe(person, '2')));
    expect(answers.filter(({ status }) => status === 200).map(({ body }) => body.data.planId)).toEqual(['2']);
    expect(new Set(answers.map(code))).toEqual(new Set(['200 SUCCESS', '409 ALREADY_SUBSCRIBED']));
    expect((await credits(person)).balance).toBe(5100);
  });
});

describe('change of plan', () => {
  it('upgrades at once, prorated to the second, on the same billing date', async () => {
    const person = await service.person();
    const { body: begun } = await subscribe(person, 'dev_pass');
    await advance('P10D');
    const from = await now();
    const { body } = await call('PUT', '/api/subscription/upgrade-plan', person, { newPlanId: 'pro_pass' });
    const { proration, ...subscription } = body.data;
    expect(subscription).toEqual({ ...begun.data, planId: 'pro_pass', monthlyCredits: 100_000, price: 299.99 });
    const end = Date.parse(proration.to);
    expect(day(end)).toBe(begun.data.nextBillingDate);
    expect(Math.abs(Date.parse(proration.from) - from)).toBeLessThan(2000);
    const start = new Date(end).setUTCMonth(new Date(end).getUTCMonth() - 1);
    const share = (end - Date.parse(proration.from)) / (end - start);
    expect(proration.credits).toBe(Math.ceil(95_000 * share));
    expect(proration.amount).toBe(Math.round(27_000 * share) / 100);
    expect((await credits(person)).balance).toBe(5100 + proration.credits);
  });

  it('says before an upgrade what it comes to, and changes nothing', async () => {
    const person = await service.person();
    const preview = (plan: string) => call('GET', `/api/subscription/upgrade-plan/preview?newPlanId=${plan}`, person);
    expect(code(await preview('pro_pass'))).toBe('409 INVALID_STATE');
    await subscribe(person, 'dev_pass');
    await advance('P10D');
    const [told, again] = [await preview('pro_pass'), await preview('4')];
    expect(again.body.data.to).toBe(told.body.data.to);
    expect(await current(person)).toMatchObject({ planId: 'dev_pass' });
    const { body } = await call('PUT', '/api/subscription/upgrade-plan', person, { newPlanId: 'pro_pass' });
    expect(Math.abs(body.data.proration.amount - told.body.data.amount)).toBeLessThan(0.02);
    expect(Math.abs(body.data.proration.credits - told.body.data.credits)).toBeLessThan(3);
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

describe('cancellation', () => {
  it('stops new credits, keeps the plan to the end of the paid period and the credits for 30 days', async () => {
    const person = await service.person();
    const { body: begun } = await subscribe(person, 'pro_pass');
    await advance('P20D');
    const cancelledAt = await now();
    const path = `/api/subscription/${begun.data.id}/cancel`;
    const { body } = await call('PATCH', path, person);
    expect(body.data).toMatchObject({
      id: begun.data.id,
      status: 'cancelled',
      nextBillingDate: begun.data.nextBillingDate,
    });
    expect(day(Date.parse(body.data.endsAt))).toBe(begun.data.nextBillingDate);
    expect(Math.abs(Date.parse(body.data.creditsExpireAt) - cancelledAt - 30 * 86_400_000)).toBeLessThan(2000);
    expect(code(await call('PATCH', path, person))).toBe('409 INVALID_STATE');
    const large = { ...chat(), model: 'svc-1-32k' };
    expect((await call('POST', '/v1/chat/completions', person, large)).status).toBe(200);
    await advance('P12D');
    expect(await current(person)).toMatchObject({ status: 'cancelled' });
    expect((await call('POST', '/v1/chat/completions', person, large)).status).toBe(403);
    const answer = await call('POST', '/v1/chat/completions', person, chat());
    expect([answer.status, answer.headers.get('x-ratelimit-limit-requests')]).toEqual([200, '10']);
    expect((await credits(person)).balance).toBe(99_999);
    await advance('P19D');
    expect(await current(person)).toBeNull();
    const left = await credits(person);
    expect([left.balance, left.lots[0].source]).toEqual([100, 'free']);
    expect((await call('GET', '/api/auth/me', person)).body.data.isSubscribe).toBe(false);
  });

  it('of another account is as unknown as one that never was', async () => {
    const [one, other] = [await service.person(), await service.person()];
    const { body } = await subscribe(other, 'dev_pass');
    await subscribe(one, 'dev_pass');
    for (const id of [body.data.id, 'nothing']) {
      expect(code(await call('PATCH', `/api/subscription/${id}/cancel`, one))).toBe('404 NOT_FOUND');
    }
    expect((await current(other)).status).toBe('active');
  });

  it('is followed by a new month with its grant once the paid one is over, the old credits keeping their end', async () => {
    const person = await service.person();
    await subscribe(person, 'dev_pass');
    await advance('P20D');
    const { body: cancelled } = await cancel(person);
    await advance('P12D');
    expect(code(await resume(person, cancelled.data.id))).toBe('409 INVALID_STATE');
    const { body } = await subscribe(person, 'dev_pass');
    expect(body.data).toMatchObject({ status: 'active', planId: 'dev_pass' });
    expect(body.data.id).not.toBe(cancelled.data.id);
    expect((await credits(person)).balance).toBe(10_000);
    await advance('P19D');
    expect((await credits(person)).balance).toBe(5000);
  });
});

describe('subscribing again while the paid month runs', () => {
  it('to the same plan resumes it: no grant, the same id and billing date, and the credits live on', async () => {
    const person = await service.person();
    const { body: begun } = await subscribe(person, 'dev_pass');
    const before = (await credits(person)).lots;
    await cancel(person);
    const { body } = await subscribe(person, '2');
    expect(body.data).toEqual({ ...begun.data, planId: '2' });
    expect((await credits(person)).lots).toEqual(before);
  });

  it('to a larger plan is an upgrade, at the price that the preview says', async () => {
    const person = await service.person();
    const { body: begun } = await subscribe(person, 'dev_pass');
    await advance('P10D');
    await cancel(person);
    const preview = (plan: string) => call('GET', `/api/subscription/upgrade-plan/preview?newPlanId=${plan}`, person);
    const told = (await preview('pro_pass')).body.data;
    expect((await preview('dev_pass')).body.data).toMatchObject({ amount: 0, credits: 0, to: told.to });
    expect((await preview('freemium')).body.data).toMatchObject({ amount: 0, credits: 0, to: told.to });
    const { proration, ...subscription } = (await subscribe(person, 'pro_pass')).body.data;
    expect(subscription).toEqual({ ...begun.data, planId: 'pro_pass', monthlyCredits: 100_000, price: 299.99 });
    expect(proration.to).toBe(told.to);
    expect(Math.abs(proration.amount - told.amount)).toBeLessThan(0.02);
    expect((await credits(person)).balance).toBe(5100 + proration.credits);
  });

  it('to a smaller plan starts that with the next month', async () => {
    const person = await service.person();
    const { body: begun } = await subscribe(person, 'pro_pass');
    await cancel(person);
    const { body } = await subscribe(person, 'freemium');
    expect(body.data).toEqual({ ...begun.data, pendingPlanId: 'freemium' });
    expect((await credits(person)).balance).toBe(100_100);
    await advance('P32D');
    expect(await current(person)).toMatchObject({ planId: 'freemium', status: 'active' });
    expect((await credits(person)).balance).toBe(100_100);
  });
});

describe('PATCH /subscription/{id}/resume', () => {
  it('takes a cancellation back, a pending downgrade included, and can be followed by another', async () => {
    const person = await service.person();
    await subscribe(person, 'smm_pass');
    await call('PUT', '/api/subscription/downgrade-plan', person, { newPlanId: 'dev_pass' });
    const before = await current(person);
    const { lots } = await credits(person);
    expect(await cancelled(person)).not.toHaveProperty('pendingPlanId');
    const { status, body } = await resume(person, before.id);
    expect([status, body.data, await current(person)]).toEqual([200, before, before]);
    expect((await credits(person)).lots).toEqual(lots);
    expect(code(await resume(person, before.id))).toBe('409 INVALID_STATE');
    expect(code(await cancel(person))).toBe('200 SUCCESS');
    expect(code(await resume(person, before.id))).toBe('200 SUCCESS');
    await advance('P32D');
    expect(await current(person)).toMatchObject({ planId: 'dev_pass', status: 'active' });
  });

  it('of another account is as unknown as one that never was, and one that has ended', async () => {
    const [one, other] = [await service.person(), await service.person()];
    await subscribe(other, 'dev_pass');
    const { id } = await cancelled(other);
    for (const unknown of [id, 'nothing']) expect(code(await resume(one, unknown))).toBe('404 NOT_FOUND');
    await advance('P61D');
    expect(code(await resume(other, id))).toBe('404 NOT_FOUND');
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

describe('services and usage', () => {
  it('lists the services with their price, and the quota of each', async () => {
    const person = await service.person();
    const { body } = await call('GET', '/api/services', person);
    expect(body.data.services).toContainEqual({
      name: 'translation',
      unit: 'word',
      unitSize: 100,
      credits: 10,
      description: expect.any(String),
    });
    await call('POST', '/v1/chat/completions', person, chat());
    const quota = await call('GET', '/api/services/chat/quota', person);
    expect(quota.body.data).toEqual({
      service: 'chat',
      quota: 100,
      used: 1,
      remaining: 99,
      resetsAt: expect.any(String),
    });
    expect(code(await call('GET', '/api/services/constructor/quota', person))).toBe('404 NOT_FOUND');
  });

  it('shows the ledger in pages, newest first, and usage by day', async () => {
    const person = await service.person({ planRank: 2 });
    for (let made = 0; made < 3; made++) await call('POST', '/v1/chat/completions', person, chat());
    const first = (await call('GET', '/api/credits?limit=2', person)).body.data;
    expect(first.entries.map(({ seq, type, credits }: Record<string, unknown>) => [seq, type, credits])).toEqual([
      [5, 'charge', -1],
      [4, 'charge', -1],
    ]);
    expect(first.entries[0]).toMatchObject({ service: 'chat', model: 'svc-1', keyId: person.keyId, balance: 5097 });
    const second = (await call('GET', `/api/credits?limit=50&cursor=${first.nextCursor}`, person)).body.data;
    expect(second.entries.map(({ seq }: Record<string, unknown>) => seq)).toEqual([3, 2, 1]);
    expect(second.nextCursor).toBeNull();
    await service.settled();
    const today = day(await now());
    const usage = (await call('GET', '/api/usage?group=service', person)).body.data;
    expect(usage).toMatchObject({ to: today, days: [{ date: today, service: 'chat', calls: 3, credits: 3 }] });
    expect(code(await call('GET', '/api/usage?from=2030-01-02&to=2030-01-01', person))).toBe('400 INVALID_FORMAT');
    expect(code(await call('GET', '/api/credits?limit=0', person))).toBe('400 INVALID_FORMAT');
  });

  it('mails once when 80 % of the credits are used, and once when all are', async () => {
    const person = await service.person({ planRank: 2, credits: 5 });
    for (let made = 0; made < 5; made++) await call('POST', '/v1/chat/completions', person, chat());
    await service.settled();
    await service.settled();
    const mails = (await (await fetch(`${service.origin}/_local/mail`)).json()) as { to: string[]; subject: string }[];
    const subjects = mails.filter(({ to }) => to.includes(person.email)).map(({ subject }) => subject);
    expect(subjects).toEqual([
      'Your credits are used up',
      'You have used 80 % of your credits',
      'Confirm your e-mail address',
    ]);
  });
});
