import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineRoute } from '#contract/http/route.ts';
import { allRoutes } from '#contract/routes.ts';
import { limits } from '#contract/shared/limits.ts';
import { dailyCounter } from '#domain/shared/idempotency.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { endpoint } from '#runtime/endpoint.ts';
import { services } from '#runtime/services/container.ts';
import { putRows, rowsOf } from '#test/database/rows.ts';
import { code, useTestService } from '#test/service/service.ts';

const service = useTestService();

/** An unpriced route that accepts the header. Validating its response twice would change it. */
const route = defineRoute({
  id: 'make-thing',
  method: 'POST',
  path: '/api/things',
  summary: 'Make a thing',
  credential: 'session or key',
  access: 'develop',
  confirmed: true,
  bodyInput: v.object({ name: v.string() }),
  output: v.pipe(
    v.object({ made: v.number() }),
    v.transform(({ made }) => ({ made: made + 100 })),
  ),
  success: { status: 201, message: 'MADE' },
  idempotent: true,
  uses: { tables: { idempotency: 'delete' } },
});

let runs = 0;
let refusal: ServiceError | undefined;
const handler = endpoint(route, () => {
  runs += 1;
  if (refusal) throw refusal;
  return { made: runs };
}) as (event: object, context: object) => Promise<any>;

async function make(credential: string, idempotencyKey: string) {
  const proof = credential.startsWith('tai_') ? { authorization: [`Bearer ${credential}`] } : { cookie: [credential] };
  const headers = { ...proof, 'content-type': ['application/json'], 'idempotency-key': [idempotencyKey] };
  const requestContext = { identity: { sourceIp: '127.0.0.1' } };
  const event = {
    httpMethod: 'POST',
    path: route.path,
    requestContext,
    multiValueHeaders: headers,
    body: '{"name":"x"}',
  };
  const reply = await handler(event, {});
  return {
    headers: reply.headers,
    body: JSON.parse(reply.body),
    outcome: `${reply.statusCode} ${JSON.parse(reply.body).message}`,
  };
}

describe('an unpriced operation', () => {
  it('replays its response unchanged, without credits', async () => {
    const { cookie } = await service.person();
    const first = await make(cookie, 'k');
    const second = await make(cookie, 'k');
    expect([first.outcome, first.body.data, second.body]).toEqual(['201 MADE', { made: 101 }, first.body]);
    expect(second.headers).toMatchObject({
      'Idempotent-Replayed': 'true',
      'x-original-request-id': first.headers['x-request-id'],
    });
    expect(second.headers).not.toHaveProperty('x-credits-charged');
    expect(runs).toBe(1);
  });

  it.each([
    'ALREADY_SUBSCRIBED',
    'NOT_FOUND',
    'INSUFFICIENT_PERMISSIONS',
    'INSUFFICIENT_CREDITS',
    'RATE_LIMIT_EXCEEDED',
    'SERVICE_UNAVAILABLE',
  ] as const)('runs again after the refusal %s', async (code) => {
    const { cookie } = await service.person();
    runs = 0;
    refusal = new ServiceError(code, 'Not now.');
    const first = await make(cookie, 'k');
    refusal = undefined;
    const second = await make(cookie, 'k');
    expect(first.body).toMatchObject({ message: code, detail: 'Not now.' });
    expect([second.outcome, second.headers['Idempotent-Replayed'], runs]).toEqual(['201 MADE', undefined, 2]);
  });

  it('refuses an invalid header before it checks permissions', async () => {
    const { cookie } = await service.registered();
    expect((await make('', '')).outcome).toBe('401 INVALID_API_KEY');
    expect((await make(cookie, '')).outcome).toBe('400 INVALID_FORMAT');
    expect((await make(cookie, 'k')).outcome).toBe('403 ACCOUNT_NOT_CONFIRMED');
  });
});

const text = 'A quiet river bank.';

it.each<[path: string, body: object]>([
  ['/api/ai/translate', { text, sourceLanguage: 'en', targetLanguage: 'fr' }],
  ['/api/ai/analyze', { text, analyses: ['pii'] }],
  ['/v1/embeddings', { model: 'svc-embed', input: text }],
  ['/api/webhooks', { url: 'https://example.com/hook', events: ['credits.low'] }],
  ['/api/agents', { name: 'Guide', model: 'svc-1' }],
])('POST %s runs once for requests with one Idempotency-Key', async (path, body) => {
  const { key, id } = await service.person({ planRank: 3 });
  const send = () => service.call('POST', path, { key, body, headers: { 'idempotency-key': 'once' } });
  const first = await send();
  expect(first.status).toBeOneOf([200, 201]);
  const before = await services().metering().find(id);
  const again = await send();
  expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
  expect(await services().metering().find(id)).toEqual(before);
});

describe('the idempotency table', () => {
  const perDay = limits.unpricedIdempotencyKeysPerDay;
  const counterOf = (id: number) => dailyCounter('unpriced', id, services().clock.now());
  const rowsBut = async (id: string) => (await rowsOf('idempotency')).filter((row) => row['id'] !== id);

  it('contains no rows for refused requests', async () => {
    const { key, id } = await service.person({ planRank: 2 });
    const before = await rowsBut(counterOf(id).id);
    const refusals = [
      ['/api/agents/nobody/conversations', {}, '404 NOT_FOUND'],
      ['/api/webhooks/nobody/test', {}, '403 INSUFFICIENT_PERMISSIONS'],
      ['/api/subscription/create', { planId: '2', billingCycle: 'monthly' }, '409 ALREADY_SUBSCRIBED'],
    ] as const;
    for (const [path, body, expected] of refusals) {
      for (let time = 0; time < 5; time++) {
        const headers = { 'idempotency-key': `${path}-${time}` };
        expect(code(await service.call('POST', path, { key, body, headers }))).toBe(expected);
      }
    }
    expect(await rowsBut(counterOf(id).id)).toEqual(before);
    expect(before).not.toContainEqual(expect.objectContaining({ running: true }));
  });

  it(`accepts ${perDay} unpriced keys per day, then refuses further ones with 429 until the next day without running them`, async () => {
    const { id, key } = await service.person({ planRank: 2 });
    const counter = counterOf(id);
    await putRows('idempotency', [{ id: counter.id, requests: perDay - 1 }]);
    expect((await make(key, 'last')).outcome).toBe('201 MADE');
    runs = 0;
    const refused = await make(key, 'more');
    expect([refused.outcome, runs]).toEqual(['429 RATE_LIMIT_EXCEEDED', 0]);
    expect(refused.body.detail).toContain(`${perDay} uncharged requests with an Idempotency-Key per day`);
    const wait = (counter.endsAt - services().clock.now()) / 1000;
    expect(Math.abs(Number(refused.headers['Retry-After']) - wait)).toBeLessThan(10);
    const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };
    const headers = { 'idempotency-key': 'priced' };
    const priced = await service.call('POST', '/v1/chat/completions', { key, body: chat, headers });
    expect(code(priced)).toBe('200 SUCCESS');
    const seconds = Math.ceil(wait) + 1;
    await service.post('/_local/clock', { advance: `PT${seconds}S` });
    expect((await make(key, 'more')).outcome).toBe('201 MADE');
  });
});

it('may be written only by the functions of routes that accept the header', () => {
  const takes = allRoutes.filter(({ idempotent }) => idempotent).map(({ id }) => id);
  expect(takes).toContain('create-chat-completion');
  expect(allRoutes.filter(({ uses }) => uses.tables?.idempotency === 'delete').map(({ id }) => id)).toEqual(takes);
});
