import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatNameOf } from '#contract/http/format.ts';
import { type Route } from '#contract/http/route.ts';
import { allRoutes } from '#contract/routes.ts';
import { issueCredential } from '#domain/shared/credential.ts';
import { mistyped } from '#test/requests/mistyped.ts';
import { refusedWith } from '#test/requests/refusals.ts';
import { sampleOf } from '#test/requests/samples.ts';
import { type CallOptions } from '#test/service/api-request.ts';
import { type ApiResponse, usePerson, useTestService, chat } from '#test/service/service.ts';

const service = useTestService();
const person = usePerson(service, { planRank: 4 });
let newcomer: Awaited<ReturnType<typeof service.registered>>;
beforeAll(async () => {
  newcomer = await service.registered();
});

/** Error codes of the OpenAI surface by our codes. */
const openAiCodes: Readonly<Record<string, string>> = {
  invalid_api_key: 'INVALID_API_KEY',
  unsupported_media_type: 'UNSUPPORTED_MEDIA_TYPE',
  payload_too_large: 'PAYLOAD_TOO_LARGE',
  unknown_url: 'NOT_FOUND',
  method_not_supported: 'METHOD_NOT_ALLOWED',
  null: 'INVALID_FORMAT',
};

const refusedOpenAi = ({ status, body: response, headers }: ApiResponse) => {
  const { error, ...rest } = response as unknown as { error: Record<string, unknown> };
  expect([Object.keys(error).toSorted(), rest]).toEqual([['code', 'message', 'param', 'type'], {}]);
  expect(error['message']).toMatch(/^.{10,}\.$/s);
  expect(headers.get('x-request-id')).toBeTruthy();
  return `${status} ${openAiCodes[String(error['code'])]}`;
};

const anthropicErrors: Readonly<Record<string, string>> = {
  '400 invalid_request_error': 'INVALID_FORMAT',
  '401 authentication_error': 'INVALID_API_KEY',
  '404 not_found_error': 'NOT_FOUND',
  '405 invalid_request_error': 'METHOD_NOT_ALLOWED',
  '413 request_too_large': 'PAYLOAD_TOO_LARGE',
  '415 invalid_request_error': 'UNSUPPORTED_MEDIA_TYPE',
};

const refusedAnthropic = ({ status, body: response, headers }: ApiResponse) => {
  const { error, ...rest } = response as unknown as { error: Record<string, unknown> };
  expect([Object.keys(error).toSorted(), rest]).toEqual([['message', 'type'], { type: 'error' }]);
  expect(error['message']).toMatch(/^.{10,}\.$/s);
  expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
  return `${status} ${anthropicErrors[`${status} ${String(error['type'])}`]}`;
};

const readers = { envelope: refusedWith, openai: refusedOpenAi, responses: refusedOpenAi, anthropic: refusedAnthropic };

const send = async (method: string, path: string, options: CallOptions) => {
  const response = await service.call(method, path, options);
  return readers[formatNameOf(path.split('?', 1)[0]!)](response);
};

/** Test rows for the routes to which a rule applies. */
const routesWith = (rule: (route: Route) => unknown) =>
  allRoutes.filter((route) => rule(route)).map((route) => [`${route.method} ${route.path}`, route] as const);

describe('every route', () => {
  const needs = ({ credential }: Route) => credential !== 'none' && credential !== 'session if any';

  it.each(routesWith(needs))('%s returns 401 for a bad credential', async (_, route) => {
    const wrong: CallOptions[] = [
      {},
      { key: mistyped(person.key) },
      { cookie: 'session=junk' },
      { headers: { authorization: 'Bearer x' }, cookie: person.cookie },
      { headers: { 'x-api-key': route.format === 'anthropic' ? 'junk' : person.key } },
    ];
    const { path, body } = sampleOf(route);
    for (const options of wrong)
      expect(await send(route.method, path, { body, ...options })).toBe('401 INVALID_API_KEY');
    const withKey = `${path}${path.includes('?') ? '&' : '?'}key=${person.key}`;
    expect(await send(route.method, withKey, { body })).toBe('401 INVALID_API_KEY');
  });

  it.each(routesWith(({ credential }) => credential === 'key'))('%s returns 401 for a session', async (_, route) => {
    const { path, body } = sampleOf(route);
    expect(await send(route.method, path, { body, cookie: person.cookie })).toBe('401 INVALID_API_KEY');
    const key = person.cookie.replace('session=', '');
    expect(await send(route.method, path, { body, key })).toBe('401 INVALID_API_KEY');
  });

  it.each(routesWith(({ credential }) => credential === 'session'))('%s returns 403 for a key', async (_, route) => {
    const { path, body } = sampleOf(route);
    expect(await send(route.method, path, { body, key: person.key })).toBe('403 INSUFFICIENT_PERMISSIONS');
  });

  it.each(routesWith(({ role }) => role))('%s returns 403 for a viewer', async (_, route) => {
    const { path, body } = sampleOf(route);
    expect(await send(route.method, path, { body, cookie: person.cookie })).toBe('403 INSUFFICIENT_PERMISSIONS');
  });

  it.each(routesWith(({ confirmed, credential, role }) => confirmed && credential !== 'key' && !role))(
    '%s returns 403 for an account without a confirmed address',
    async (_, route) => {
      const { path, body } = sampleOf(route);
      expect(await send(route.method, path, { body, cookie: newcomer.cookie })).toBe('403 ACCOUNT_NOT_CONFIRMED');
    },
  );

  it.each(routesWith(({ method, credential }) => !['GET', 'HEAD'].includes(method) && credential !== 'key'))(
    "%s returns 403 for another site's page",
    async (_, route) => {
      const { path, body } = sampleOf(route);
      const foreign = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'cross-site', 'x-api-key': person.key },
      ];
      for (const headers of foreign) {
        expect(await send(route.method, path, { body, cookie: person.cookie, headers })).toBe(
          '403 INSUFFICIENT_PERMISSIONS',
        );
      }
    },
  );

  it.each(routesWith(({ bodyInput }) => bodyInput))(
    '%s returns 415 and 413 before it checks the credential',
    async (_, route) => {
      const bad: [CallOptions, string][] = [
        [{ body: '{}', headers: { 'content-type': 'text/plain' } }, '415 UNSUPPORTED_MEDIA_TYPE'],
        [{ body: ' '.repeat(route.maxBodyBytes + 1) }, '413 PAYLOAD_TOO_LARGE'],
      ];
      for (const [options, expected] of bad)
        expect(await send(route.method, sampleOf(route).path, options)).toBe(expected);
    },
  );

  it.each(routesWith(({ bodyInput, ...route }) => bodyInput && needs(route as Route)))(
    '%s returns 401 for a bad body with a bad credential, 400 with a good one',
    async (_, route) => {
      const body = '{"model": ';
      const isForm = !route.bodyKinds.includes('json');
      const headers: Record<string, string> = isForm ? { 'content-type': 'multipart/form-data; boundary=b' } : {};
      const { path } = sampleOf(route);
      const credential = route.credential === 'key' ? { key: person.key } : { cookie: person.cookie };
      expect(await send(route.method, path, { body, headers, key: 'junk' })).toBe('401 INVALID_API_KEY');
      expect(await send(route.method, path, { body, headers, ...credential })).toBe('400 INVALID_FORMAT');
    },
  );
});

describe('an unknown path or method', () => {
  it.each([
    ['GET', '/api/nothing', '404 NOT_FOUND'],
    ['GET', '/nothing/at/all', '404 NOT_FOUND'],
    ['POST', '/v1', '404 NOT_FOUND'],
    ['GET', '/v1/models/', '404 NOT_FOUND'],
    ['GET', '/api/keys/', '404 NOT_FOUND'],
    ['GET', '/api/services//quota', '404 NOT_FOUND'],
    ['GET', '/api/keys/a/b/c', '404 NOT_FOUND'],
    ['POST', '/openai/v1/responses/resp_1/pause', '404 NOT_FOUND'],
    ['DELETE', '/openai/v1/models/svc-1', '405 METHOD_NOT_ALLOWED'],
    ['GET', '/anthropic', '405 METHOD_NOT_ALLOWED'],
    ['GET', '/anthropic/v1/messages', '405 METHOD_NOT_ALLOWED'],
    ['POST', '/anthropic/v1/complete', '404 NOT_FOUND'],
    ['GET', '/anthropic/', '404 NOT_FOUND'],
    ['GET', '/v1/chat/completions', '405 METHOD_NOT_ALLOWED'],
    ['DELETE', '/v1/models', '405 METHOD_NOT_ALLOWED'],
    ['PUT', '/api/keys/abc', '405 METHOD_NOT_ALLOWED'],
  ])('%s %s returns %s, without a credential', async (method, path, expected) => {
    expect(await send(method, path, {})).toBe(expected);
  });

  it('returns the methods that a path supports in Allow', async () => {
    expect((await service.call('PUT', '/api/keys')).headers.get('allow')).toBe('POST, GET');
  });
});

const random = { bytes: (size: number) => randomBytes(size) };
const forged = (kind: 'key' | 'session') => issueCredential(kind, person.id, random).text;

const chatWith = (options: CallOptions) =>
  service.call('POST', '/v1/chat/completions', { body: chat(), ...options }).then(({ status, body }) => [status, body]);

const noKey = 'No API key was sent; send Authorization: Bearer and an API key that is active.';

const neither =
  'Neither an API key nor a session was sent; send Authorization: Bearer and an API key that is active, or sign in.';
const malformed =
  'The Authorization header must be Bearer, a space, and an API key: tai_ followed by 58 letters and digits.';
const typo = 'The API key is invalid: at least one character is wrong. Copy the key again.';
const unknown = 'The API key is unknown, revoked, suspended or expired. Use an active key.';

describe('the detail of a 401 response', () => {
  it.each<[what: string, path: string, options: () => CallOptions, detail: string]>([
    ['a missing key', '/v1/models', () => ({}), noKey],
    ['a session on a route that accepts only keys', '/v1/models', () => ({ cookie: person.cookie }), noKey],
    ['a key in another header', '/v1/models', () => ({ headers: { 'x-api-key': person.key } }), noKey],
    ['a missing credential on a route that accepts keys and sessions', '/api/credits/me', () => ({}), neither],
    ['a missing session', '/api/keys', () => ({}), 'No session was sent; sign in.'],
    ['the placeholder of the examples', '/v1/models', () => ({ key: 'tai_your_api_key' }), malformed],
    ['a mistyped key', '/v1/models', () => ({ key: mistyped(person.key) }), typo],
    ['a key without Bearer', '/v1/models', () => ({ headers: { authorization: person.key } }), malformed],
    ['a session as a key', '/v1/models', () => ({ key: forged('session') }), malformed],
    ['a key that never was', '/v1/models', () => ({ key: forged('key') }), unknown],
    [
      'a session that never was',
      '/api/keys',
      () => ({ key: forged('session') }),
      'The session has ended; sign in again.',
    ],
  ])('explains %s', async (_, path, options, detail) => {
    const { status, body } = await service.call('GET', path, options());
    expect([status, body.message, body.detail]).toEqual([401, 'INVALID_API_KEY', detail]);
  });

  it('is the same for unknown, foreign, revoked and suspended keys', async () => {
    const { cookie } = person;
    const create = async (body: object) => (await service.call('POST', '/api/keys', { cookie, body })).body.data;
    const [revoked, suspended] = [await create({ name: 'revoked' }), await create({ name: 'suspended' })];
    const refusedOnes = [forged('key'), issueCredential('key', person.id + 1, random).text, revoked.key, suspended.key];
    await service.call('DELETE', `/api/keys/${revoked.id}`, { cookie });
    await service.call('PATCH', `/api/keys/${suspended.id}`, { cookie, body: { status: 'suspended' } });
    const refusal = [401, { message: 'INVALID_API_KEY', error: true, data: null, status: 401, detail: unknown }];
    for (const key of refusedOnes) {
      expect(await chatWith({ key })).toEqual(refusal);
      expect(await chatWith({ key, body: {} })).toEqual(refusal);
    }
  });
});
