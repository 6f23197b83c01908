import { expect, test } from 'vitest';
import { chat, useTestService } from '#test/service/service.ts';

const service = useTestService();

test('accounts created before the update still exist', async () => {
  const login = { email: 'kept@example.com', password: 'a quiet river bank' };
  const { status, body } = await service.call('POST', '/api/auth/login', { body: login });
  expect([status, body.message]).toEqual([200, 'LOGIN_SUCCESS']);
});

test('the updated plan table applies: a free account has 5 calls a minute', async () => {
  const { key } = await service.person();
  const statuses: number[] = [];
  for (let call = 0; call < 6; call++) {
    statuses.push((await service.call('POST', '/v1/chat/completions', { key, body: chat() })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
});
