import { expect, test } from 'vitest';
import { chat, useTestService } from '#test/service/service.ts';

const service = useTestService();

const elsewhere = async (path: string, headers: Record<string, string>) =>
  (await fetch(`${process.env['OTHER_API']}${path}`, { headers })).status;

test('a second stage of the account shares no accounts, keys or sessions with the first', async () => {
  expect(process.env['OTHER_API']).not.toBe(service.origin);
  const { key, cookie } = await service.person();
  expect((await service.call('POST', '/v1/chat/completions', { key, body: chat() })).status).toBe(200);
  expect((await service.call('GET', '/api/auth/me', { cookie })).status).toBe(200);
  expect(await elsewhere('/v1/models', { authorization: `Bearer ${key}` })).toBe(401);
  expect(await elsewhere('/api/auth/me', { cookie })).toBe(401);
  // Registered in the other stage.
  const login = { email: 'kept@example.com', password: 'a quiet river bank' };
  expect((await service.call('POST', '/api/auth/login', { body: login })).body.message).toBe('INVALID_CREDENTIALS');
});

test('the emails of the second stage are sent through the identity of the first', async () => {
  const { email } = await service.registered();
  expect(await service.mailedToken(email)).toMatch(/^tac_/);
});
