import { describe, expect, it } from 'vitest';
import { queryNamesOf } from '#contract/http/route.ts';
import { routes } from '#contract/routes.ts';
import { chat, code, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const person = usePerson(service, { planRank: 2 });

describe('an unknown query parameter', () => {
  it.each([
    ['GET', '/api/usage?zone=UTC', 'zone', 'from, to, timezone, group, cursor'],
    ['GET', '/api/credits?page=2', 'page', 'cursor, limit'],
    ['GET', '/api/requests?search=x', 'search', undefined],
    ['GET', '/api/keys?limit=5', 'limit', 'none'],
    ['GET', '/v1/models?beta=true', 'beta', 'none'],
    ['DELETE', '/api/keys/none?force=true', 'force', 'none'],
  ])('is refused by name on %s %s', async (method, path, name, accepted) => {
    const response = await service.call(
      method,
      path,
      path.startsWith('/v1') ? { key: person.key } : { cookie: person.cookie },
    );
    expect(code(response)).toBe('400 INVALID_FORMAT');
    expect(response.body.detail).toMatch(`This operation has no query parameter ${name}. It accepts ${accepted ?? ''}`);
  });

  it('is refused for a priced call, which costs nothing', async () => {
    const balance = async () =>
      (await service.call('GET', '/api/credits?limit=1', { key: person.key })).body.data.balance;
    const before = await balance();
    const refused = await service.call('POST', '/v1/chat/completions?stream=true', { key: person.key, body: chat() });
    expect([code(refused), refused.body.detail]).toEqual([
      '400 INVALID_FORMAT',
      'This operation has no query parameter stream. It accepts none.',
    ]);
    expect(await balance()).toBe(before);
  });

  it('is not repeated if it may be a secret', async () => {
    const refused = await service.call('GET', `/v1/models?${person.key}`, { key: person.key });
    expect(refused.body.detail).toBe('This operation has no such query parameter. It accepts none.');
  });

  it('does not hide a missing or wrong credential', async () => {
    expect((await service.call('GET', '/api/keys?limit=5')).status).toBe(401);
    expect(
      (await service.call('POST', '/v1/chat/completions?x=1', { key: `${person.key}x`, body: chat() })).status,
    ).toBe(401);
  });

  it.each([
    ['/openai/v1/chat/completions?api-version=2026-01-01', chat()],
    ['/anthropic/v1/messages?beta=true', { model: 'svc-1', max_tokens: 16, messages: chat().messages }],
    ['/openai/v1/responses?x=1', { model: 'svc-1', input: 'Hello' }],
  ])('is accepted on %s, as clients of other APIs send their own', async (path, body) => {
    expect((await service.call('POST', path, { key: person.key, body })).status).toBe(200);
  });
});

describe('the query parameters of a route', () => {
  it('are known for every route with the envelope', () => {
    for (const route of Object.values(routes)) {
      if (route.format !== 'envelope' || !('queryInput' in route)) continue;
      expect([route.id, queryNamesOf(route)?.length]).toEqual([route.id, expect.any(Number)]);
      expect(queryNamesOf(route)).not.toHaveLength(0);
    }
  });
});
