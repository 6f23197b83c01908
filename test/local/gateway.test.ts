import { describe, expect, test } from 'vitest';
import { jobs } from '#contract/jobs.ts';
import { routes } from '#contract/routes.ts';
import { type GatewayRequest, gatewayEvent } from '#local/gateway/event.ts';
import { apiHandler, jobHandler } from '#local/gateway/lambda.ts';

const request = (about: Partial<GatewayRequest> = {}): GatewayRequest => ({
  method: 'GET',
  path: '/api/keys/a%20b',
  query: '',
  rawHeaders: [],
  sourceIp: '127.0.0.1',
  body: Buffer.alloc(0),
  isBinary: false,
  requestId: 'request-1',
  resource: '/api/keys/{id}',
  pathParameters: { id: 'a b' },
  at: new Date('2026-04-09T12:34:56Z'),
  ...about,
});

describe('the proxy event of a REST API', () => {
  test('has the resource, the unchanged path and decoded parameters', () => {
    const event = gatewayEvent(request());
    expect(event).toMatchObject({
      resource: '/api/keys/{id}',
      path: '/api/keys/a%20b',
      httpMethod: 'GET',
      pathParameters: { id: 'a b' },
      stageVariables: null,
      requestContext: {
        requestId: 'request-1',
        resourcePath: '/api/keys/{id}',
        stage: 'local',
        path: '/local/api/keys/a%20b',
        requestTime: '09/Apr/2026:12:34:56 +0000',
        identity: { sourceIp: '127.0.0.1' },
      },
    });
  });

  test('has null for missing parameters, query and body', () => {
    expect(gatewayEvent(request({ pathParameters: {} }))).toMatchObject({
      pathParameters: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      body: null,
    });
  });

  test('keeps the case of header names, and the last and all values of repeated headers', () => {
    const rawHeaders = ['X-Custom', 'one', 'authorization', 'Bearer x', 'x-custom', 'two', 'User-Agent', 'curl/8'];
    const { headers, multiValueHeaders, requestContext } = gatewayEvent(request({ rawHeaders }));
    expect(headers).toEqual({ 'X-Custom': 'two', authorization: 'Bearer x', 'User-Agent': 'curl/8' });
    expect(multiValueHeaders['X-Custom']).toEqual(['one', 'two']);
    expect(requestContext.identity.userAgent).toBe('curl/8');
  });

  test('omits the headers of the connection', () => {
    const rawHeaders = ['Host', 'x', 'Connection', 'keep-alive', 'Transfer-Encoding', 'chunked'];
    expect(gatewayEvent(request({ rawHeaders })).headers).toEqual({ Host: 'x' });
  });

  test('decodes the query, with the last and all values of repeated parameters', () => {
    const event = gatewayEvent(request({ query: 'token=a%2Fb&tag=1&tag=2&empty&plus=a+b' }));
    expect(event.queryStringParameters).toEqual({ token: 'a/b', tag: '2', empty: '', plus: 'a b' });
    expect(event.multiValueQueryStringParameters).toEqual({
      token: ['a/b'],
      tag: ['1', '2'],
      empty: [''],
      plus: ['a b'],
    });
  });

  test('has names like __proto__ as plain fields', () => {
    const event = gatewayEvent(request({ query: '__proto__=x', rawHeaders: ['__proto__', 'y'] }));
    expect(Object.entries(event.queryStringParameters!)).toEqual([['__proto__', 'x']]);
    expect(Object.entries(event.headers)).toEqual([['__proto__', 'y']]);
  });

  test('has a body of a binary media type in base64, even if it is text', () => {
    const { body, isBase64Encoded } = gatewayEvent(request({ body: Buffer.from('--b--'), isBinary: true }));
    expect([Buffer.from(body!, 'base64').toString(), isBase64Encoded]).toEqual(['--b--', true]);
  });

  test('has text unchanged, even with a byte order mark, and other bytes in base64', () => {
    const text = gatewayEvent(request({ body: Buffer.from('\u{feff}{"a":"ü"}') }));
    expect(text).toMatchObject({ body: '\u{feff}{"a":"ü"}', isBase64Encoded: false });
    const bytes = Buffer.from([0xff, 0xfe, 0x00]);
    const binary = gatewayEvent(request({ body: bytes }));
    expect(binary.isBase64Encoded).toBe(true);
    expect(Buffer.from(binary.body!, 'base64')).toEqual(bytes);
  });
});

test('a process builds each handler once', async () => {
  const { id } = routes.createChatCompletion;
  expect(await apiHandler(id)).toBe(await apiHandler(id));
  expect(await jobHandler(jobs.indexDocuments)).toBe(await jobHandler(jobs.indexDocuments));
});
