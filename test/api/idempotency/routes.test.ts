import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineRoute } from '#contract/http/route.ts';
import { allRoutes } from '#contract/routes.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import { startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A row that takes the header and is not priced; its output schema would change a response that meets it twice. */
const route = defineRoute({
  id: 'make-thing',
  method: 'POST',
  path: '/api/things',
  summary: 'Make a thing',
  credential: 'session or key',
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

async function make(cookie: string, idempotencyKey: string) {
  const headers = { cookie: [cookie], 'content-type': ['application/json'], 'idempotency-key': [idempotencyKey] };
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

describe('an operation that is not priced', () => {
  it('gets its response again as it was, without mention of credits', async () => {
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
    ['ALREADY_SUBSCRIBED', true],
    ['INSUFFICIENT_PERMISSIONS', true],
    ['INSUFFICIENT_CREDITS', false],
    ['RATE_LIMIT_EXCEEDED', false],
    ['SERVICE_UNAVAILABLE', false],
  ] as const)('that refuses with %s: kept is %s', async (code, isKept) => {
    const { cookie } = await service.person();
    runs = 0;
    refusal = new ServiceError(code, 'Not now.');
    const first = await make(cookie, 'k');
    refusal = undefined;
    const second = await make(cookie, 'k');
    expect(first.body).toMatchObject({ message: code, detail: 'Not now.' });
    if (isKept) expect(second.body).toEqual(first.body);
    else expect(second.outcome).toBe('201 MADE');
    expect([second.headers['Idempotent-Replayed'], runs]).toEqual(isKept ? ['true', 1] : [undefined, 2]);
  });

  it('refuses a bad value of the header before it reports who may not', async () => {
    const { cookie } = await service.registered();
    expect((await make('', '')).outcome).toBe('401 INVALID_API_KEY');
    expect((await make(cookie, '')).outcome).toBe('400 INVALID_FORMAT');
    expect((await make(cookie, 'k')).outcome).toBe('403 ACCOUNT_NOT_CONFIRMED');
  });
});

it('every row that takes the header may write the records, and no other', () => {
  const takes = allRoutes.filter(({ idempotent }) => idempotent).map(({ id }) => id);
  expect(takes).toContain('create-chat-completion');
  expect(allRoutes.filter(({ uses }) => uses.tables?.idempotency === 'delete').map(({ id }) => id)).toEqual(takes);
});
