import { expect, it } from 'vitest';
import { chat, useTestService } from '#test/service/service.ts';

const service = useTestService({ environment: { PLAN_TABLE: 'overview' } });

const complete = (key: string) => service.call('POST', '/v1/chat/completions', { key, body: chat() });

it('a deployment with PLAN_TABLE=overview enforces its calls per minute and month, and lists the plans', async () => {
  const { key } = await service.person();
  for (let call = 0; call < 5; call++) {
    const { status, headers } = await complete(key);
    expect([status, headers.get('ratelimit-policy')]).toEqual([200, '"minute";q=5;w=60']);
  }
  expect((await complete(key)).body.message).toBe('RATE_LIMIT_EXCEEDED');
  await service.post('/_local/clock', { advance: 'PT63S' });
  for (let call = 0; call < 5; call++) expect((await complete(key)).status).toBe(200);
  await service.post('/_local/clock', { advance: 'PT63S' });
  const { status, body } = await complete(key);
  expect([status, body.message]).toEqual([402, 'INSUFFICIENT_CREDITS']);
  expect(body.detail).toBe('The plan allows 10 calls per month; upgrade the plan or wait for the next month.');
  await service.post('/_local/clock', { advance: 'P1M' });
  expect((await complete(key)).status).toBe(200);
  const { plans } = (await service.call('GET', '/api/subscription/plans', { key })).body.data;
  expect(plans[0]).toEqual({ id: 1, name: 'freemium', price: 0, quota_limit: 100, rate_limit: 10 });
});
