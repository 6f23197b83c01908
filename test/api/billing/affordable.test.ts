import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const post = ({ key }: Person, path: string, body: unknown) => service.call('POST', path, { key, body });
const words = (count: number): string => 'word '.repeat(count).trim();

describe('a call that is priced by the token', () => {
  it('runs where its tokens can be paid, though not as many as it has bytes', async () => {
    const person = await service.person({ credits: 1 });
    const body = { model: 'svc-1', prompt: words(700), max_tokens: 5 };
    const { status, headers } = await post(person, '/v1/completions', body);
    expect([status, headers.get('x-credits-charged')]).toEqual([200, '0.705']);
    const embedding = await post(person, '/v1/embeddings', { model: 'svc-embed', input: words(2_000) });
    expect([embedding.status, embedding.headers.get('x-credits-charged')]).toEqual([200, '0.2']);
  });

  it.each([{ max_tokens: 100 }, {}])('gives as much output as is left for: %j', async (limit) => {
    const person = await service.person({ credits: 0.007 });
    const { status, body, headers } = await post(person, '/v1/completions', {
      model: 'svc-1',
      prompt: 'Hello',
      ...limit,
    });
    expect(status).toBe(200);
    expect(body.data.usage).toEqual({ prompt_tokens: 1, completion_tokens: 6, total_tokens: 7 });
    expect(body.data.choices[0].finish_reason).toBe('length');
    expect(headers.get('x-credits-remaining')).toBe('0');
  });

  it('is refused with both numbers where not even one token of output can be paid, and costs nothing', async () => {
    const person = await service.person({ credits: 0.007 });
    const { status, body } = await post(person, '/v1/completions', { model: 'svc-1', prompt: words(7), max_tokens: 9 });
    expect([status, body.message]).toEqual([402, 'INSUFFICIENT_CREDITS']);
    expect(body.detail).toMatch(/^This call needs up to 0\.0\d+ credits; you have 0\.007 left\. /);
    const { headers } = await post(person, '/v1/completions', { model: 'svc-1', prompt: 'Hello', max_tokens: 1 });
    expect(headers.get('x-credits-remaining')).toBe('0.005');
  });

  it('is never paid with what another one holds, when many come concurrently', async () => {
    const person = await service.person({ credits: 0.02 });
    const complete = () => post(person, '/v1/completions', { model: 'svc-1', prompt: 'Hello', max_tokens: 100 });
    const responses = await Promise.all(Array.from({ length: 5 }, complete));
    const paid = responses.filter(({ status }) => status === 200).map(({ body }) => body.data.usage.total_tokens);
    expect(paid.length).toBeGreaterThan(0);
    expect(paid.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(20);
    expect(new Set(responses.map(({ status }) => status))).toEqual(
      paid.length < 5 ? new Set([200, 402]) : new Set([200]),
    );
  });
});

describe('bad input is reported before anything else is looked at', () => {
  it.each(['create', 'upgrade-plan'])(
    'a plan that is none, to %s: 400 even without a confirmed address',
    async (what) => {
      const { cookie } = await service.registered();
      const [method, field] = what === 'create' ? (['POST', 'planId'] as const) : (['PUT', 'newPlanId'] as const);
      const body = { [field]: 'nope', billingCycle: 'monthly' };
      const response = await service.call(method, `/api/subscription/${what}`, { cookie, body });
      expect([response.status, response.body.detail]).toEqual([
        400,
        `${field} must be the name of a plan, or its id as a string.`,
      ]);
    },
  );

  it('a day that no calendar has is no date', async () => {
    const { cookie } = await service.person();
    const body = { name: 'k', expiresAt: '2099-02-30T00:00:00Z' };
    const response = await service.call('POST', '/api/keys', { cookie, body });
    expect([response.status, response.body.detail]).toEqual([400, 'expiresAt must be a valid calendar date.']);
  });

  it('characters are what Unicode calls code points', async () => {
    const { cookie } = await service.person();
    const made = await service.call('POST', '/api/keys', { cookie, body: { name: '🗝'.repeat(64) } });
    expect(made.status).toBe(201);
    const person = { email: 'emoji@example.com', name: 'E', password_hash: '🗝🐎🔋🧷' };
    expect((await service.call('POST', '/api/auth/register', { body: person })).status).toBe(400);
  });

  it.each(['abcdefgh', 'aaaaaaaa', '        ', 'TextAIPlatform', 'platform-2026!'])(
    'the password %j is one that anybody would try',
    async (password_hash) => {
      const body = { email: 'weak@example.com', name: 'W', password_hash };
      const response = await service.call('POST', '/api/auth/register', { body });
      expect(response.body.detail).toBe('password_hash must not be one of the most common passwords.');
    },
  );

  it.each(['/api/services//quota', '/api/keys/', '/v1/models/'])('%s is no path: 404', async (path) => {
    expect((await service.call('GET', path)).status).toBe(404);
  });
});
