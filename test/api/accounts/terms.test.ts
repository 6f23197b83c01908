import { describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import { useTestService } from '#test/service/service.ts';

const service = useTestService();
const accept = (cookie: string, version: unknown) =>
  service.call('POST', '/api/auth/terms', { cookie, body: { version } });

describe('POST /api/auth/terms', () => {
  it('records the version with its time, and one audit event per acceptance', async () => {
    const { id, cookie } = await service.person();
    const before = Date.now();
    expect((await accept(cookie, 1)).status).toBe(200);
    const user = (await rowsOf('accounts')).find(({ pk, sk }) => pk === `user#${id}` && sk === 'user');
    expect(user?.['terms']).toEqual({ version: 1, at: expect.any(Number) });
    expect((await accept(cookie, 1)).status).toBe(200);
    const events = (await rowsOf('audit')).filter(({ accountId, pk }) => accountId === id && pk !== 'all');
    expect(events.map(({ action, before: from, after, by }) => ({ action, from, after, by }))).toEqual([
      { action: 'accept_terms', from: {}, after: { termsVersion: 1 } },
      { action: 'accept_terms', from: { termsVersion: 1 }, after: { termsVersion: 1 } },
    ]);
    for (const { at } of events) expect(at).toBeGreaterThanOrEqual(before);
  });

  it.each([
    [2, 409, 'The current version of the terms is 1. Read it first.'],
    ['1', 400, undefined],
    [0, 400, undefined],
  ])('refuses the version %o with %i', async (version, status, detail) => {
    const { cookie } = await service.person();
    const { status: found, body } = await accept(cookie, version);
    expect([found, detail ?? body.detail]).toEqual([status, body.detail]);
  });

  it('needs a session, and an offer without terms shows none', async () => {
    const { key, cookie } = await service.person();
    expect((await service.call('POST', '/api/auth/terms', { key, body: { version: 1 } })).status).toBe(403);
    expect((await service.call('GET', '/api/auth/me', { cookie })).body.data).not.toHaveProperty('terms');
  });
});
