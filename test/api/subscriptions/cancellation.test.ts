import { describe, expect, it } from 'vitest';
import { day, subscriptionCalls } from '#test/requests/subscription-calls.ts';
import { chat, code, type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();

const { call, subscribe, current, credits, advance, now } = subscriptionCalls(service);
const cancel = async (person: Person) =>
  call('PATCH', `/api/subscription/${(await current(person)).id}/cancel`, person);
const cancelled = async (person: Person) => (await cancel(person)).body.data;
const resume = (person: Person, id: string) => call('PATCH', `/api/subscription/${id}/resume`, person);

describe('cancellation', () => {
  it('stops new credits, and keeps the plan until the paid period ends and its credits for 30 days', async () => {
    const person = await service.person();
    const { body: begun } = await subscribe(person, 'pro_pass');
    await advance('P20D');
    const cancelledAt = await now();
    const path = `/api/subscription/${begun.data.id}/cancel`;
    const { body } = await call('PATCH', path, person);
    const until = await now();
    expect(body.data).toMatchObject({
      id: begun.data.id,
      status: 'cancelled',
      nextBillingDate: begun.data.nextBillingDate,
    });
    expect(day(Date.parse(body.data.endsAt))).toBe(begun.data.nextBillingDate);
    const creditsFrom = Date.parse(body.data.creditsExpireAt) - 30 * 86_400_000;
    expect(creditsFrom).toBeGreaterThan(cancelledAt - 1000);
    expect(creditsFrom).toBeLessThanOrEqual(until);
    expect(code(await call('PATCH', path, person))).toBe('409 INVALID_STATE');
    const large = { ...chat(), model: 'svc-1-32k' };
    expect((await call('POST', '/v1/chat/completions', person, large)).status).toBe(200);
    await advance('P12D');
    expect(await current(person)).toMatchObject({ status: 'cancelled' });
    expect((await call('POST', '/v1/chat/completions', person, large)).status).toBe(403);
    const response = await call('POST', '/v1/chat/completions', person, chat());
    expect([response.status, response.headers.get('x-ratelimit-limit-requests')]).toEqual([200, '10']);
    expect((await credits(person)).balance).toBe(99_999);
    await advance('P19D');
    expect(await current(person)).toBeNull();
    const left = await credits(person);
    expect([left.balance, left.lots[0].source]).toEqual([100, 'free']);
    expect((await call('GET', '/api/auth/me', person)).body.data.isSubscribe).toBe(false);
  });
});

describe('a new subscription during the paid month', () => {
  it('to a smaller plan starts with the next month', async () => {
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
  it('reverts a cancellation and a pending downgrade, and allows another cancellation', async () => {
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

  it('returns 404 for a foreign, unknown or expired subscription', async () => {
    const [one, other] = [await service.person(), await service.person()];
    await subscribe(other, 'dev_pass');
    await advance('P5D');
    const { id } = await cancelled(other);
    await subscribe(one, 'dev_pass');
    for (const unknown of [id, 'nothing']) {
      expect(code(await resume(one, unknown))).toBe('404 NOT_FOUND');
      expect(code(await call('PATCH', `/api/subscription/${unknown}/cancel`, one))).toBe('404 NOT_FOUND');
    }
    // The month has ended, but the credits have not expired.
    await advance('P28D');
    expect(code(await resume(other, id))).toBe('409 INVALID_STATE');
    await advance('P33D');
    expect(code(await resume(other, id))).toBe('404 NOT_FOUND');
  });
});
