import { describe, expect, it } from 'vitest';
import { apiKeyKey } from '#repositories/accounts/account-items.ts';
import { putRows, rowsOf } from '#test/database/rows.ts';
import { times } from '#test/many.ts';
import { chat, useTestService } from '#test/service/service.ts';

const service = useTestService();

const call = (method: string, path: string, cookie: string, body?: unknown) =>
  service.call(method, path, { cookie, body });
const statusWith = async (key: string) => (await service.call('GET', '/v1/models', { key })).status;
/** Writes a key directly to the database. Keys with a higher index are newer. */
async function plantKey(accountId: number, index: number): Promise<void> {
  const id = `planted-${index}`;
  const about = { name: `key ${index}`, prefix: 'tai_x', lastFour: 'xxxx', createdAt: 1000 + index, revision: 1 };
  await putRows('accounts', [{ ...apiKeyKey(accountId, id), id, status: 'revoked', ...about }]);
}
const chatWith = async (key: string) =>
  (await service.call('POST', '/v1/chat/completions', { key, body: chat() })).status;

describe('API keys', () => {
  it('are shown once, then listed by prefix, last four characters and last use', async () => {
    const { id, cookie, key, keyId } = await service.person();
    expect(await chatWith(key)).toBe(200);
    await service.settled();
    const { body } = await call('GET', '/api/keys', cookie);
    expect(body.data).toEqual([
      {
        id: keyId,
        name: 'test',
        prefix: key.slice(0, 17),
        lastFour: key.slice(-4),
        status: 'active',
        suspendedByOperator: false,
        createdAt: expect.any(String),
        createdBy: id,
        expiresAt: null,
        lastUsedAt: expect.any(String),
        limit: null,
        models: null,
        services: null,
        contentDays: null,
      },
    ]);
    expect(JSON.stringify(body)).not.toContain(key);
    const made = await call('POST', '/api/keys', cookie, { name: 'second', expiresAt: '2090-01-01T00:00:00Z' });
    expect(made.status).toBe(201);
    expect(Object.keys(made.body.data).toSorted()).toEqual([
      'contentDays',
      'createdAt',
      'createdBy',
      'expiresAt',
      'id',
      'key',
      'limit',
      'models',
      'name',
      'prefix',
      'services',
      'status',
    ]);
  });

  it('are refused from the next call when suspended or revoked, and work again when resumed', async () => {
    const { cookie, key, keyId } = await service.person();
    const path = `/api/keys/${keyId}`;
    expect((await call('PATCH', path, cookie, { status: 'suspended' })).body.data.status).toBe('suspended');
    expect([await statusWith(key), await chatWith(key)]).toEqual([401, 401]);
    expect((await call('PATCH', path, cookie, { status: 'active', name: 'renamed' })).body.data).toMatchObject({
      name: 'renamed',
    });
    expect([await statusWith(key), await chatWith(key)]).toEqual([200, 200]);
    expect((await call('DELETE', path, cookie)).body.data.status).toBe('revoked');
    expect([await statusWith(key), await chatWith(key)]).toEqual([401, 401]);
    expect((await call('DELETE', path, cookie)).status).toBe(200);
    expect((await call('PATCH', path, cookie, { name: 'x' })).body.message).toBe('INVALID_STATE');
    expect((await call('POST', `${path}/rotate`, cookie)).body.message).toBe('INVALID_STATE');
  });

  it('end at their expiry, which can be changed and removed', async () => {
    const { cookie, key, keyId } = await service.person();
    const now = Date.parse(((await (await fetch(`${service.origin}/_local/clock`)).json()) as { now: string }).now);
    const soon = new Date(now + 600_000).toISOString();
    expect((await call('PATCH', `/api/keys/${keyId}`, cookie, { expiresAt: soon })).body.data.expiresAt).toBe(soon);
    await service.post('/_local/clock', { advance: 'PT20M' });
    expect(await statusWith(key)).toBe(401);
    expect((await call('GET', '/api/keys', cookie)).body.data[0].status).toBe('expired');
    expect((await call('PATCH', `/api/keys/${keyId}`, cookie, { expiresAt: null })).body.data.status).toBe('active');
    expect(await statusWith(key)).toBe(200);
    expect((await call('PATCH', `/api/keys/${keyId}`, cookie, { expiresAt: soon })).status).toBe(400);
    const noDay = await call('PATCH', `/api/keys/${keyId}`, cookie, { expiresAt: '2099-02-30T00:00:00Z' });
    expect([noDay.status, noDay.body.detail]).toEqual([400, 'expiresAt must be a valid calendar date.']);
    expect((await call('PATCH', `/api/keys/${keyId}`, cookie, { name: '🗝'.repeat(64) })).status).toBe(200);
  });

  it('are replaced immediately by a rotation, and the old key works for the grace period only', async () => {
    const { cookie, key, keyId } = await service.person();
    const fresh = await call('POST', `/api/keys/${keyId}/rotate`, cookie, { graceSeconds: 60 });
    expect([fresh.status, fresh.body.data.name]).toEqual([201, 'test']);
    expect([await statusWith(key), await statusWith(fresh.body.data.key)]).toEqual([200, 200]);
    await service.post('/_local/clock', { advance: 'PT61S' });
    expect([await statusWith(key), await statusWith(fresh.body.data.key)]).toEqual([401, 200]);
    const next = await call('POST', `/api/keys/${fresh.body.data.id}/rotate`, cookie);
    expect([await statusWith(fresh.body.data.key), await statusWith(next.body.data.key)]).toEqual([401, 200]);
    expect((await call('POST', `/api/keys/${keyId}/rotate`, cookie, { graceSeconds: 604_801 })).status).toBe(400);
  });

  it('are limited to 50 active ones, not counting expired and revoked ones', async () => {
    const { cookie, keyId } = await service.person();
    const now = Date.parse(((await (await fetch(`${service.origin}/_local/clock`)).json()) as { now: string }).now);
    const soon = new Date(now + 60_000).toISOString();
    const made = await Promise.all(times(60, () => call('POST', '/api/keys', cookie, { name: 'n', expiresAt: soon })));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(49);
    expect(made.find(({ status }) => status !== 201)?.body).toMatchObject({ message: 'INVALID_STATE', status: 409 });
    await call('DELETE', `/api/keys/${keyId}`, cookie);
    expect((await call('POST', '/api/keys', cookie, { name: 'freed' })).status).toBe(201);
    await service.post('/_local/clock', { advance: 'PT2M' });
    expect((await call('POST', '/api/keys', cookie, { name: 'after expiry' })).status).toBe(201);
  });

  it('are listed with the newest 200 ended ones, and creating a key deletes older ones', async () => {
    const { cookie, id, keyId } = await service.person();
    await Promise.all(times(300, (index) => plantKey(id, index)));
    const list = async () => (await call('GET', '/api/keys', cookie)).body.data as { id: string; name: string }[];
    const shown = await list();
    expect(shown).toHaveLength(201);
    expect(shown[0]?.id).toBe(keyId);
    expect(shown.slice(1).map(({ name }) => name)).toEqual(times(200, (index) => `key ${299 - index}`));
    await call('POST', '/api/keys', cookie, { name: 'next' });
    expect(await list()).toHaveLength(202);
    const stored = (await rowsOf('accounts')).filter(
      ({ pk, sk }) => pk === `user#${id}` && String(sk).startsWith('key#'),
    );
    expect(stored).toHaveLength(202);
  });

  it('of another account return the same 404 as unknown keys, and cannot be managed with a key', async () => {
    const [one, other] = [await service.person(), await service.person()];
    for (const id of [other.keyId, 'nothing']) {
      const responses = [
        await call('PATCH', `/api/keys/${id}`, one.cookie, { name: 'mine' }),
        await call('DELETE', `/api/keys/${id}`, one.cookie),
        await call('POST', `/api/keys/${id}/rotate`, one.cookie),
      ];
      expect(responses.map(({ body }) => body.message)).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND']);
    }
    const byKey = await service.call('POST', '/api/keys', { key: one.key, body: { name: 'more' } });
    expect([byKey.status, byKey.body.message]).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
    expect(await statusWith(other.key)).toBe(200);
  });
});

describe('credits and the model list', () => {
  it('show the free month, and the allowance of each service', async () => {
    const { key, id } = await service.person();
    const { body } = await service.call('GET', '/api/credits/me', { key });
    const quota = { translation: 100, audio: 100, voice_call: 100, sms: 100 };
    const used = { translation: 0, audio: 0, voice_call: 0, sms: 0 };
    expect(body).toMatchObject({
      message: 'SUCCESS',
      data: { id, quota, used, source: 'free', expiresAt: expect.any(String) },
    });
  });

  it('allow calls again in the next month, even after the session has expired', async () => {
    const { key, cookie } = await service.person({ credits: 0 });
    expect(await chatWith(key)).toBe(402);
    await service.post('/_local/clock', { advance: 'P1M' });
    expect(await chatWith(key)).toBe(200);
    expect((await service.call('GET', '/api/credits/me', { cookie })).status).toBe(401);
  });

  it('show the plan that each model requires', async () => {
    const { key } = await service.person();
    const models = await service.call('GET', '/v1/models', { key });
    expect(models.body.data.map(({ id, min_plan }: Record<string, string>) => `${id} ${min_plan}`)).toEqual([
      'svc-1 freemium',
      'svc-1-32k pro_pass',
      'svc-instruct freemium',
      'svc-code freemium',
      'svc-embed freemium',
      'svc-speech freemium',
      'svc-transcribe freemium',
    ]);
  });
});
