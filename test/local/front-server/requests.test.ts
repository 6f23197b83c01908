import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { buffered, envelopeOf, json, useFrontServer } from '#test/service/front-server.ts';

const front = useFrontServer();
const { call } = front;

/** The bytes that a socket receives in response to these bytes. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(front.server.port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

/** The envelope of a raw response with the status. */
function envelopeIn(response: string, status: number) {
  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  return JSON.parse(response.slice(response.indexOf('\r\n\r\n')));
}

describe('a request', () => {
  test('reaches the handler with its headers, query and body unchanged', async () => {
    const headers = { 'X-Custom': ['one', 'two'], Cookie: 'session=a; b=c', 'content-type': 'application/json' };
    const { body } = await call('POST', '/api/echo?q=1&q=2', headers, '{"text":"grüße"}');
    expect(envelopeOf(body)).toMatchObject({
      resource: '/api/echo',
      headers: { Cookie: 'session=a; b=c', 'X-Custom': 'two', 'content-type': 'application/json' },
      multiValueHeaders: { 'X-Custom': ['one', 'two'] },
      multiValueQueryStringParameters: { q: ['1', '2'] },
      body: '{"text":"grüße"}',
      requestContext: { identity: { sourceIp: '127.0.0.1' } },
    });
  });

  test('is routed by whole segments, with literals before parameters', async () => {
    expect(envelopeOf((await call('GET', '/api/things/all')).body)).toBe('literal');
    const { body } = await call('GET', '/api/things/a%2Fb%20%C3%BC');
    expect(envelopeOf(body)).toMatchObject({ resource: '/api/things/{id}', pathParameters: { id: 'a/b ü' } });
  });

  test.each([
    ['GET', '/api/things/all/'],
    ['GET', '/api/things/'],
    ['GET', '/api/things'],
    ['GET', '/API/things/all'],
    ['GET', '//api/echo'],
    ['GET', '/api/echo'],
    ['PURGE', '/api/echo'],
    ['OPTIONS', '/api/echo'],
    ['GET', '/'],
  ])('%s %s reaches the handler of unknown routes', async (method, path) => {
    const { status, body } = await call(method, path);
    expect(status).toBe(404);
    expect(envelopeOf(body)).toMatchObject({ resource: '/{proxy+}', path, httpMethod: method });
  });

  test('with HEAD reaches the handler of unknown routes, and returns no body', async () => {
    expect(await call('HEAD', '/api/things/all')).toMatchObject({ status: 404, body: Buffer.alloc(0) });
  });

  test('with an absolute URL as its target is accepted', async () => {
    expect(await raw(`GET http://127.0.0.1/api/things/all HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toContain(
      '"literal"',
    );
  });

  test('with an invalid escape in the path returns an enveloped 400', async () => {
    const { status, headers, body } = await call('GET', '/api/things/100%');
    expect(status).toBe(400);
    expect(headers['x-request-id']).toBeTruthy();
    expect(envelopeOf(body)).toMatchObject({ message: 'INVALID_FORMAT', error: true, data: null, status: 400 });
  });

  test('above 10 MB is read to the end and returns an enveloped 413, and one of 10 MB reaches the handler', async () => {
    const limit = 10 * 1024 * 1024;
    const { status, body } = await call('POST', '/api/echo', {}, Buffer.alloc(limit + 1, 'a'));
    expect(status).toBe(413);
    expect(envelopeOf(body)).toMatchObject({ message: 'PAYLOAD_TOO_LARGE', error: true, data: null, status: 413 });
    front.handlers['echo'] = buffered((event) => json(event.body?.length));
    expect(envelopeOf((await call('POST', '/api/echo', {}, Buffer.alloc(limit, 'a'))).body)).toBe(limit);
  });

  test.each([
    ['that is not HTTP', 'NONSENSE'],
    ['of an unknown method', 'FROB / HTTP/1.1\r\nHost: x'],
    ['with a head above 16 KB', `GET / HTTP/1.1\r\nHost: x\r\nx-huge: ${'x'.repeat(20_000)}`],
  ])('%s returns an enveloped 400', async (_, head) => {
    const response = await raw(`${head}\r\nConnection: close\r\n\r\n`);
    expect(envelopeIn(response, 400)).toMatchObject({ message: 'INVALID_FORMAT', data: null });
  });

  test.each([
    ['two different Host headers', 'HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example'],
    ['the same Host header twice', 'HTTP/1.1\r\nHost: 127.0.0.1\r\nhost: 127.0.0.1'],
    ['two Host headers in HTTP/1.0', 'HTTP/1.0\r\nHost: 127.0.0.1\r\nHost: evil.example'],
    ['a list of hosts', 'HTTP/1.1\r\nHost: 127.0.0.1, evil.example'],
    ['a host with a user', 'HTTP/1.1\r\nHost: user@127.0.0.1'],
    ['no Host header', 'HTTP/1.1\r\nAccept: */*'],
  ])('with %s returns an enveloped 400', async (_, head) => {
    const response = await raw(`GET /api/things/all ${head}\r\nConnection: close\r\n\r\n`);
    expect(response).toMatch(/\r\nx-request-id: [\w-]{36}\r\n/);
    expect(envelopeIn(response, 400)).toMatchObject({
      message: 'INVALID_FORMAT',
      detail: 'The request must have exactly one Host header, with a host and an optional port.',
    });
  });

  test.each(['HTTP/1.1\r\nHost: 127.0.0.1', 'HTTP/1.1\r\nHost: LOCALHOST', 'HTTP/1.0'])(
    'with the head %j is accepted',
    async (head) => {
      const response = await raw(`GET /api/things/all ${head}\r\nConnection: close\r\n\r\n`);
      expect(response).toMatch(/^HTTP\/1.1 200 /);
    },
  );

  test('with an invalid chunk returns an enveloped 400, whatever preceded it on the connection', async () => {
    const chunks = 'HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
    for (const chunk of ['zz\r\nnot a chunk', '5;\u0000\r\nhello\r\n']) {
      const response = await raw(`POST /api/echo ${chunks}5\r\nhello\r\n${chunk}`);
      expect(response).toMatch(/\r\nx-request-id: [\w-]{36}\r\n/);
      expect(envelopeIn(response, 400)).toMatchObject({ message: 'INVALID_FORMAT', status: 400 });
    }
    const openAi = await raw(`POST /openai/v1/chat/completions ${chunks}zz\r\n`);
    expect(envelopeIn(openAi, 400)).toMatchObject({ error: { type: 'invalid_request_error' } });
    const get = 'GET /api/things/all HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const both = await raw(`${get}POST /api/echo ${chunks}zz\r\n`);
    expect(both.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(front.log).toEqual([]);
  });

  test('with Expect: 100-continue receives 100, and other expectations are ignored', async () => {
    const head = 'POST /api/echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 4\r\n';
    const going = await raw(`${head}Expect: 100-continue\r\n\r\nbody`);
    expect(going).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n/);
    for (const expectation of ['a miracle', '100-continued', '']) {
      const response = await raw(`${head}Expect: ${expectation}\r\n\r\nbody`);
      expect(response).toMatch(/^HTTP\/1.1 200 OK\r\n/);
      expect(response).toContain('"body":"body"');
    }
  });

  test('to open a tunnel returns an enveloped 405, and an upgrade is ignored', async () => {
    const tunnel = await raw('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n');
    expect(envelopeIn(tunnel, 405)).toMatchObject({ message: 'METHOD_NOT_ALLOWED', status: 405 });
    const upgrade = 'Host: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket';
    expect(await raw(`GET /api/things/all HTTP/1.1\r\n${upgrade}\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
  });

  test('that breaks off is logged without an error', async () => {
    const to = { port: front.server.port, host: '127.0.0.1', path: '/api/echo' };
    const request = httpRequest({ ...to, method: 'POST', agent: false });
    request.setHeader('content-length', '1000').setHeader('expect', '100-continue');
    request.on('error', () => undefined).flushHeaders();
    await once(request, 'continue');
    request.write('half');
    request.destroy();
    await expect.poll(() => front.access).toEqual([expect.stringContaining('POST /api/echo closed by the client')]);
    expect(front.log).toEqual([]);
  });

  test('is reported when its function has ended, also with an error', async () => {
    front.handlers['echo'] = buffered(() => Promise.reject(new Error('a bug')));
    await call('GET', '/api/things/all');
    await call('POST', '/api/echo');
    await expect.poll(() => front.ended).toBe(2);
  });

  test('is logged in one line without its query', async () => {
    await call('GET', '/api/things/all?token=secret');
    await expect.poll(() => front.access).toHaveLength(1);
    expect(front.access[0]).toMatch(/^GET \/api\/things\/all 200 \d+ ms$/);
  });
});
