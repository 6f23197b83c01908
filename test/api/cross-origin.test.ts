import { describe, expect, it } from 'vitest';
import { gatewayEvent } from '#local/gateway/event.ts';
import { apiHandler, lambdaContext } from '#local/gateway/lambda.ts';
import { usePerson, useTestService } from '#test/service/service.ts';

const page = 'https://app.example.com';

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly origin?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const originOf = ({ headers }: Response) => headers.get('access-control-allow-origin');

describe.each([
  ['a list of origins', [page, 'http://localhost:3000'] as const, page],
  ['any origin', '*' as const, '*'],
])('the API for pages of %s', (_, corsOrigins, allowed) => {
  const service = useTestService({ corsOrigins: corsOrigins === '*' ? '*' : [...corsOrigins] });
  const person = usePerson(service);

  function send({ method = 'GET', path = '/openai/v1/models', origin = page, key, headers = {}, body }: Sent) {
    return fetch(service.origin + path, {
      method,
      headers: {
        origin,
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  }
  const preflight = (path: string, origin = page) =>
    send({
      method: 'OPTIONS',
      path,
      origin,
      headers: {
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
      },
    });

  it.each(['/v1/chat/completions', '/openai/v1/embeddings', '/openai/v1/models/svc-1', '/openai/v1/nothing'])(
    'accepts a preflight for %s, for two hours, and never with cookies',
    async (path) => {
      const response = await preflight(path);
      expect([response.status, originOf(response), await response.text()]).toEqual([204, allowed, '']);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-methods': 'GET, POST, DELETE',
        'access-control-allow-headers': 'Authorization, *',
        'access-control-max-age': '7200',
      });
      expect(response.headers.has('access-control-allow-credentials')).toBe(false);
    },
  );

  it('returns the headers with responses, streams and errors of every kind', async () => {
    const { key } = person;
    const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };
    const sent: [status: number, request: Sent][] = [
      [200, { key }],
      [200, { method: 'POST', path: '/openai/v1/chat/completions', key, body: chat }],
      [200, { method: 'POST', path: '/v1/chat/completions', key, body: { ...chat, stream: true } }],
      [400, { method: 'POST', path: '/openai/v1/chat/completions', key, body: {} }],
      [401, {}],
      [404, { key, path: '/openai/v1/models/none' }],
      [404, { key, path: '/openai/v1/nothing' }],
      [405, { key, method: 'DELETE' }],
      [413, { key, method: 'POST', path: '/v1/chat/completions', body: { text: 'x'.repeat(11 * 2 ** 20) } }],
    ];
    for (const [status, request] of sent) {
      const response = await send(request);
      await response.arrayBuffer();
      expect([status, response.status, originOf(response)]).toEqual([status, status, allowed]);
      expect(response.headers.get('access-control-expose-headers')).toBe('*');
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      expect(response.headers.get('vary')).toBe(allowed === '*' ? null : 'Origin');
    }
  });

  it.each(['/api/credits/me', '/api/auth/login', '/config.json', '/_local/mail', '/openaix/v1', '/'])(
    'returns no such headers for %s, and refuses the page',
    async (path) => {
      for (const response of [await preflight(path), await send({ path, key: person.key })]) {
        await response.arrayBuffer();
        expect([response.status, originOf(response)]).toEqual([403, null]);
      }
    },
  );

  it('returns the headers from the functions themselves, for stages without this gateway', async () => {
    for (const [id, method, status] of [
      ['list-openai-models', 'GET', 401],
      ['unknown-route', 'PUT', 405],
      ['unknown-route', 'OPTIONS', 204],
    ] as const) {
      const event = gatewayEvent({
        method,
        path: '/openai/v1/models',
        query: '',
        rawHeaders: ['Origin', page, 'Access-Control-Request-Method', 'GET'],
        sourceIp: '127.0.0.1',
        body: new Uint8Array(),
        isBinary: false,
        requestId: 'x',
        resource: '/openai/v1/models',
        pathParameters: {},
        at: new Date(),
      });
      const response = await (await apiHandler(id))(event, lambdaContext({ id, timeoutSeconds: 5 }, 'x'));
      expect(response).toMatchObject({ statusCode: status, headers: { 'Access-Control-Allow-Origin': allowed } });
    }
  });
});

describe('a page that is not listed', () => {
  const service = useTestService({ corsOrigins: [page] });
  const person = usePerson(service);

  it.each(['https://evil.example', 'http://app.example.com', 'null', `${page}:8443`, 'HTTPS://app.example.com'])(
    'is refused, for example %s',
    async (origin) => {
      const path = `${service.origin}/openai/v1/models`;
      const asked = { origin, 'access-control-request-method': 'GET' };
      for (const response of [
        await fetch(path, { method: 'OPTIONS', headers: asked }),
        await fetch(path, { headers: { origin, authorization: `Bearer ${person.key}` } }),
      ]) {
        await response.arrayBuffer();
        expect([response.status, originOf(response), response.headers.get('vary')]).toEqual([403, null, 'Origin']);
      }
    },
  );
});

describe('the API without allowed origins', () => {
  const service = useTestService();

  it('has no cross-origin headers', async () => {
    const response = await fetch(`${service.origin}/openai/v1/models`, { headers: { origin: page } });
    expect([response.status, originOf(response), response.headers.get('vary')]).toEqual([403, null, null]);
    const own = await fetch(`${service.origin}/openai/v1/models`, { headers: { origin: service.origin } });
    expect([own.status, originOf(own), own.headers.get('vary')]).toEqual([401, null, null]);
  });
});
