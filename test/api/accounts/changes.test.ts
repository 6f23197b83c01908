import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { times } from '#test/many.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { type ApiResponse, code, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let restore: () => void;
beforeAll(async () => {
  service = await startTestService();
  restore = withEnvironment({ NETWORK_LIMITS: 'on' });
});
afterAll(async () => {
  restore();
  await service.close();
});

const tooMany = '429 RATE_LIMIT_EXCEEDED';
const advance = (duration: string) => service.post('/_local/clock', { advance: duration });
const retryAfter = ({ headers }: ApiResponse) => Number(headers.get('retry-after'));
const call = (method: string, path: string, cookie: string, body?: unknown) =>
  service.call(method, path, { cookie, body });

describe('changes, where they are limited,', () => {
  it('of keys are ten in a minute, whatever the change, and the next waits as long as Retry-After indicates', async () => {
    await advance('PT1H');
    const { cookie, keyId } = await service.person();
    const other = await service.person();
    for (let turn = 0; turn < 4; turn++) {
      const made = await call('POST', '/api/keys', cookie, { name: 'brief' });
      expect((await call('PATCH', `/api/keys/${made.body.data.id}`, cookie, { name: 'renamed' })).status).toBe(200);
    }
    const { body } = await call('POST', `/api/keys/${keyId}/rotate`, cookie, { graceSeconds: 60 });
    const path = `/api/keys/${body.data.id}`;
    const refusals = [
      await call('POST', '/api/keys', cookie, { name: 'one more' }),
      await call('PATCH', path, cookie, { name: 'renamed' }),
      await call('POST', `${path}/rotate`, cookie),
      await call('DELETE', path, cookie),
    ];
    expect(refusals.map(({ status, body: { message } }) => `${status} ${message}`)).toEqual(
      Array(4).fill('429 RATE_LIMIT_EXCEEDED'),
    );
    expect((await call('GET', '/api/keys', cookie)).status).toBe(200);
    expect((await call('PATCH', `/api/keys/${other.keyId}`, other.cookie, { name: 'mine' })).status).toBe(200);
    const wait = Number(refusals.at(-1)?.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    await advance(`PT${wait}S`);
    expect((await call('DELETE', path, cookie)).status).toBe(200);
  });

  it('of a subscription are ten in a minute, and send no more events', async () => {
    await advance('PT1H');
    const { cookie } = await service.person({ planRank: 3 });
    const { id } = (await call('GET', '/api/subscription', cookie)).body.data;
    const path = `/api/subscription/${id}`;
    const changes = [...times(10, (index) => (index % 2 ? 'resume' : 'cancel')), 'cancel', 'cancel'];
    const codes: ApiResponse[] = [];
    for (const change of changes) codes.push(await call('PATCH', `${path}/${change}`, cookie));
    expect(codes.map(code)).toEqual([...times(10, () => '200 SUCCESS'), tooMany, tooMany]);
    const wait = retryAfter(codes.at(-1)!);
    expect(wait).toBeGreaterThan(0);
    await advance(`PT${wait}S`);
    expect(code(await call('PATCH', `${path}/cancel`, cookie))).toBe('200 SUCCESS');
  });

  it('count only where what they name allows them', async () => {
    await advance('PT1H');
    const [{ cookie, keyId }, other] = [await service.person({ planRank: 3 }), await service.person()];
    const { id } = (await call('GET', '/api/subscription', cookie)).body.data;
    const revoked = (await call('POST', '/api/keys', cookie, { name: 'brief' })).body.data.id;
    await call('DELETE', `/api/keys/${revoked}`, cookie);
    const refused: [string, string, object?][] = [
      ['PATCH', '/api/subscription/another/cancel'],
      ['PATCH', `/api/subscription/${id}/resume`],
      ['POST', '/api/subscription/create', { planId: 'dev_pass', billingCycle: 'monthly' }],
      ['PUT', '/api/subscription/downgrade-plan', { newPlanId: 'smm_pass' }],
      ['PATCH', `/api/keys/${other.keyId}`, { name: 'renamed' }],
      ['PATCH', `/api/keys/${revoked}`, { name: 'renamed' }],
      ['POST', `/api/keys/${revoked}/rotate`],
      ['DELETE', `/api/keys/${other.keyId}`],
    ];
    const codes = new Set<string>();
    for (const [method, path, body] of refused)
      for (const _ of times(11, String)) codes.add(code(await call(method, path, cookie, body)).slice(0, 3));
    expect([...codes].toSorted()).toEqual(['404', '409']);
    expect(code(await call('PATCH', `/api/subscription/${id}/cancel`, cookie))).toBe('200 SUCCESS');
    expect((await call('PATCH', `/api/keys/${keyId}`, cookie, { name: 'renamed' })).status).toBe(200);
  });
});
