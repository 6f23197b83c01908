import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Readable, type Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineRoute, type Route } from '#contract/http/route.ts';
import { startFrontServer } from '#local/gateway/front-server.ts';
import { installLambdaRuntime, type LambdaHandler } from '#local/gateway/lambda-runtime.ts';

installLambdaRuntime();

const open = { summary: '', credential: 'none', uses: {} } as const;
const priced = { service: 'chat', capability: 'chat' } as const;
const routes: readonly Route[] = [
  defineRoute({ ...open, id: 'echo', method: 'POST', path: '/api/echo' }),
  defineRoute({ ...open, id: 'param', method: 'GET', path: '/api/things/{id}' }),
  defineRoute({ ...open, id: 'literal', method: 'GET', path: '/api/things/all' }),
  defineRoute({ ...open, id: 'slow', method: 'GET', path: '/api/slow', timeoutSeconds: 0.1 }),
  defineRoute({ ...open, id: 'slow-model', method: 'GET', path: '/v1/slow', timeoutSeconds: 0.1, priced }),
];

type Handle = (event: APIGatewayProxyEvent, context: Context) => unknown;
type Stream = (event: APIGatewayProxyEvent, stream: Writable, context: Context) => Promise<void>;
const buffered = (handle: Handle) => handle as LambdaHandler;
const streamed = (handle: Stream) => (globalThis as any).awslambda.streamifyResponse(handle) as LambdaHandler;
const withHead = (stream: Writable, head: object): Writable =>
  (globalThis as any).awslambda.HttpResponseStream.from(stream, head);

const json = (event: unknown) => ({ statusCode: 200, body: JSON.stringify(event) });
let handlers: Record<string, LambdaHandler>;
let log: string[];
let access: string[];
let server: Awaited<ReturnType<typeof startFrontServer>>;

beforeEach(async () => {
  log = [];
  access = [];
  handlers = { echo: buffered(json), param: buffered(json), literal: buffered(() => json('literal')) };
  handlers['unknown-route'] = buffered((event) => ({ ...json(event), statusCode: 404 }));
  server = await startFrontServer({
    port: 0,
    routes,
    handlerOf: async (id) => handlers[id] ?? Promise.reject(new Error(`cannot find module ${id}`)),
    log: (line) => log.push(line),
    access: (line) => access.push(line),
  });
});
afterEach(() => server.close());

function send(
  method: string,
  path: string,
  headers: Record<string, string | string[]> = {},
  body?: string | Buffer,
): ClientRequest {
  const request = httpRequest({ port: server.port, host: '127.0.0.1', method, path, headers, agent: false });
  request.end(body);
  return request;
}

async function call(...parameters: Parameters<typeof send>) {
  const [response] = (await once(send(...parameters), 'response')) as [IncomingMessage];
  return { response, status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

const envelopeOf = (body: Buffer) => JSON.parse(body.toString());

/** What a raw socket gets back for these bytes. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

describe('requests', () => {
  test('reach the handler with headers, query and body as they were sent', async () => {
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

  test('find the route by whole segments, a literal before a parameter', async () => {
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
  ])('%s %s is left to the unknown route', async (method, path) => {
    const { status, body } = await call(method, path);
    expect(status).toBe(404);
    expect(envelopeOf(body)).toMatchObject({ resource: '/{proxy+}', path, httpMethod: method });
  });

  test('HEAD is left to the unknown route and gets no body', async () => {
    expect(await call('HEAD', '/api/things/all')).toMatchObject({ status: 404, body: Buffer.alloc(0) });
  });

  test('whose target names the host are served like others', async () => {
    expect(await raw(`GET http://127.0.0.1/api/things/all HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toContain(
      '"literal"',
    );
  });

  test('with a broken escape in the path get an enveloped 400', async () => {
    const { status, headers, body } = await call('GET', '/api/things/100%');
    expect(status).toBe(400);
    expect(headers['x-request-id']).toBeTruthy();
    expect(envelopeOf(body)).toMatchObject({ message: 'INVALID_FORMAT', error: true, data: null, status: 400 });
  });

  test('over 10 MB are read to the end and get an enveloped 413; up to there the handler decides', async () => {
    const limit = 10 * 1024 * 1024;
    const { status, body } = await call('POST', '/api/echo', {}, Buffer.alloc(limit + 1, 'a'));
    expect(status).toBe(413);
    expect(envelopeOf(body)).toMatchObject({ message: 'PAYLOAD_TOO_LARGE', error: true, data: null, status: 413 });
    handlers['echo'] = buffered((event) => json(event.body?.length));
    expect(envelopeOf((await call('POST', '/api/echo', {}, Buffer.alloc(limit, 'a'))).body)).toBe(limit);
  });

  test('that are not HTTP get an enveloped 400', async () => {
    for (const bytes of ['NONSENSE\r\n\r\n', 'FROB / HTTP/1.1\r\nHost: x\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n']) {
      const response = await raw(bytes.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
      expect(response).toMatch(/^HTTP\/1.1 400 /);
      expect(JSON.parse(response.slice(response.indexOf('\r\n\r\n')))).toMatchObject({
        message: 'INVALID_FORMAT',
        data: null,
      });
    }
    const huge = await call('GET', '/api/things/all', { 'x-huge': 'x'.repeat(20_000) });
    expect(envelopeOf(huge.body)).toMatchObject({ message: 'INVALID_FORMAT', status: 400 });
  });

  test('whose body breaks the rules of HTTP half-way get an enveloped 400, whatever was sent before on the connection', async () => {
    const bad = ['zz\r\nnot a chunk', '5;\u0000\r\nhello\r\n'];
    for (const chunk of bad) {
      const response = await raw(
        `POST /api/echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n${chunk}`,
      );
      expect(response).toMatch(/^HTTP\/1.1 400 /);
      expect(response).toMatch(/\r\nx-request-id: [\w-]{36}\r\n/);
      expect(JSON.parse(response.slice(response.indexOf('\r\n\r\n')))).toMatchObject({
        message: 'INVALID_FORMAT',
        status: 400,
      });
    }
    const openAi = await raw(
      `POST /openai/v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    );
    expect(JSON.parse(openAi.slice(openAi.indexOf('\r\n\r\n')))).toMatchObject({
      error: { type: 'invalid_request_error' },
    });
    const get = 'GET /api/things/all HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const both = await raw(
      `${get}POST /api/echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    );
    expect(both.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(log).toEqual([]);
  });

  test('that expect 100-continue get a 100; any other expectation is left aside, as HTTP allows', async () => {
    const head = 'POST /api/echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 4\r\n';
    const going = await raw(`${head}Expect: 100-continue\r\n\r\nbody`);
    expect(going).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n/);
    for (const expectation of ['a miracle', '100-continued', '']) {
      const response = await raw(`${head}Expect: ${expectation}\r\n\r\nbody`);
      expect(response).toMatch(/^HTTP\/1.1 200 OK\r\n/);
      expect(response).toContain('"body":"body"');
    }
  });

  test('to be a tunnel or another protocol get an enveloped response', async () => {
    const tunnel = await raw('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n');
    expect(tunnel).toMatch(/^HTTP\/1.1 405 /);
    expect(JSON.parse(tunnel.slice(tunnel.indexOf('\r\n\r\n')))).toMatchObject({
      message: 'METHOD_NOT_ALLOWED',
      status: 405,
    });
    const upgrade = 'Host: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket';
    expect(await raw(`GET /api/things/all HTTP/1.1\r\n${upgrade}\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
  });

  test('given up half-way disturb nobody', async () => {
    const request = httpRequest({
      port: server.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/echo',
      agent: false,
    });
    request.setHeader('content-length', '1000');
    request.on('error', () => undefined).write('half');
    await sleep(50);
    request.destroy();
    await expect.poll(() => access).toEqual([expect.stringContaining('POST /api/echo closed by the client')]);
    expect(log).toEqual([]);
  });

  test('are logged in one line without query', async () => {
    await call('GET', '/api/things/all?token=secret');
    await expect.poll(() => access).toHaveLength(1);
    expect(access[0]).toMatch(/^GET \/api\/things\/all 200 \d+ ms$/);
  });
});

describe('responses', () => {
  test('carry status, headers, several cookies, and a length', async () => {
    handlers['echo'] = buffered(() => ({
      statusCode: 201,
      headers: { 'X-One': 'a', 'x-count': 3, 'Content-Length': '99' },
      multiValueHeaders: { 'Set-Cookie': ['a=1; Path=/', 'b=2'], 'x-one': ['a', 'b'] },
      body: 'grüße',
    }));
    const { status, headers, body } = await call('POST', '/api/echo');
    expect(status).toBe(201);
    expect(headers).toMatchObject({ 'x-one': 'a, b', 'x-count': '3', 'set-cookie': ['a=1; Path=/', 'b=2'] });
    expect(headers['content-length']).toBe(String(body.length));
    expect(headers['content-type']).toBe('application/json');
    expect(body.toString()).toBe('grüße');
  });

  test('carry bytes that came as base64', async () => {
    const bytes = Buffer.from([0, 255, 10, 13]);
    handlers['echo'] = buffered(() => ({ statusCode: 200, body: bytes.toString('base64'), isBase64Encoded: true }));
    expect((await call('POST', '/api/echo')).body).toEqual(bytes);
  });

  test('of status 204 have no body', async () => {
    handlers['echo'] = buffered(() => ({ statusCode: 204, body: 'x' }));
    const { headers, body } = await call('POST', '/api/echo');
    expect(body.length).toBe(0);
    expect(headers['content-length']).toBeUndefined();
  });

  test.each([
    ['throws', () => Promise.reject(new Error('secret detail'))],
    ['returns nothing', () => undefined],
    ['returns no status', () => ({ body: 'x' })],
    ['returns a header HTTP cannot carry', () => ({ statusCode: 200, headers: { 'x-a': 'b\r\nc: d' }, body: 'x' })],
  ])('of a handler that %s are an enveloped 500, and the log has the reason', async (_name, handle) => {
    handlers['echo'] = buffered(handle);
    const { status, headers, body } = await call('POST', '/api/echo');
    expect(status).toBe(500);
    expect(envelopeOf(body)).toMatchObject({ message: 'INTERNAL_ERROR', error: true, data: null, status: 500 });
    expect(body.toString()).not.toContain('secret');
    expect(log.join()).toContain('echo failed');
    expect(log.join()).toContain(String(headers['x-request-id']));
  });

  test('of a handler that does not load are an enveloped 500', async () => {
    delete handlers['echo'];
    expect(envelopeOf((await call('POST', '/api/echo')).body)).toMatchObject({ message: 'INTERNAL_ERROR' });
    expect(log.join()).toContain('cannot find module');
  });

  test('that take too long are an enveloped 503, on priced routes 504, and what comes later changes nothing', async () => {
    const late = buffered(async (_event, context) => {
      expect(context.getRemainingTimeInMillis()).toBeLessThanOrEqual(100);
      await sleep(200);
      return json('late');
    });
    handlers = { slow: late, 'slow-model': late };
    const [plain, model] = await Promise.all([call('GET', '/api/slow'), call('GET', '/v1/slow')]);
    expect(plain.status).toBe(503);
    expect(plain.headers['retry-after']).toBe('1');
    expect(envelopeOf(plain.body)).toMatchObject({ message: 'SERVICE_UNAVAILABLE', status: 503 });
    expect(model.status).toBe(504);
    expect(envelopeOf(model.body)).toMatchObject({ message: 'MODEL_TIMEOUT', status: 504 });
    await sleep(150);
  });
});

describe('streamed responses', () => {
  const head = { statusCode: 200, headers: { 'Content-Type': 'text/event-stream' }, cookies: ['a=1'] };

  test('send the head before the first byte, and every chunk immediately', async () => {
    const gates = [1, 2, 3].map(() => Promise.withResolvers<void>());
    async function* words() {
      for (const [index, gate] of gates.entries()) {
        await gate.promise;
        yield `word ${index}`;
      }
    }
    handlers['echo'] = middy({ executionMode: executionModeStreamifyResponse } as any).handler(
      async () => ({ ...head, body: Readable.from(words()) }) as any,
    ) as unknown as LambdaHandler;
    const [response] = (await once(send('POST', '/api/echo'), 'response')) as [IncomingMessage];
    expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'set-cookie': ['a=1'] });
    for (const [index, gate] of gates.entries()) {
      gate.resolve();
      expect(String(await once(response, 'data'))).toBe(`word ${index}`);
    }
    expect(await text(response)).toBe('');
  });

  test('carry the plain strings and errors of a streaming function', async () => {
    handlers['echo'] = middy({ executionMode: executionModeStreamifyResponse } as any).handler(
      async () => ({ statusCode: 401, headers: { 'x-a': 'b' }, body: `{"big":"${'x'.repeat(100_000)}"}` }) as any,
    ) as unknown as LambdaHandler;
    const { status, body } = await call('POST', '/api/echo');
    expect(status).toBe(401);
    expect(envelopeOf(body).big).toHaveLength(100_000);
  });

  test('slow the writer down to the pace of the reader', async () => {
    let written = 0;
    const chunk = Buffer.alloc(64 * 1024);
    handlers['echo'] = streamed(async (_event, stream) => {
      async function* endless() {
        for (; written < 2000; written += 1) yield chunk;
      }
      await pipeline(Readable.from(endless()), withHead(stream, head));
    });
    const [response] = (await once(send('POST', '/api/echo'), 'response')) as [IncomingMessage];
    await expect.poll(() => written).toBeGreaterThan(1);
    let before: number;
    do {
      before = written;
      await sleep(200);
    } while (written !== before);
    expect(written).toBeLessThan(1000);
    expect((await buffer(response)).length).toBe(2000 * chunk.length);
  });

  test('end the handler with an error when the client goes away', async () => {
    const ended = Promise.withResolvers<unknown>();
    handlers['echo'] = streamed(async (_event, stream) => {
      async function* endless() {
        for (;;) {
          yield 'word ';
          await sleep(5);
        }
      }
      await pipeline(Readable.from(endless()), withHead(stream, head)).then(ended.resolve, ended.resolve);
    });
    const request = send('POST', '/api/echo');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response, 'data');
    request.destroy();
    expect(await ended.promise).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
    expect(log).toEqual([]);
  });

  test('notice also a client that leaves without reading', async () => {
    const ended = Promise.withResolvers<unknown>();
    handlers['echo'] = streamed(async (_event, stream) => {
      const endless = Readable.from(
        (function* () {
          for (;;) yield Buffer.alloc(65_536);
        })(),
      );
      await pipeline(endless, withHead(stream, head)).then(ended.resolve, ended.resolve);
    });
    const request = send('POST', '/api/echo');
    await once(request, 'response');
    await sleep(100);
    request.destroy();
    expect(await ended.promise).toBeInstanceOf(Error);
  });

  test('are cut when the handler fails after they began, so that no client takes them for whole', async () => {
    handlers['echo'] = streamed(async (_event, stream) => {
      const out = withHead(stream, head);
      out.write('half');
      await sleep(20);
      throw new Error('model gone');
    });
    const [response] = (await once(send('POST', '/api/echo'), 'response')) as [IncomingMessage];
    await expect(text(response)).rejects.toThrow(/aborted/);
    expect(log.join()).toContain('model gone');
  });

  test('without a head are an enveloped 500', async () => {
    handlers['echo'] = streamed(async (_event, stream) => void stream.end('x'));
    expect(envelopeOf((await call('POST', '/api/echo')).body)).toMatchObject({ message: 'INTERNAL_ERROR' });
  });
});

describe('the end', () => {
  test('lets requests under way complete, and takes no new ones', async () => {
    handlers['echo'] = buffered(async () => sleep(200, json('done')));
    const pending = call('POST', '/api/echo');
    await sleep(50);
    const closed = server.close(2000);
    await expect(call('GET', '/api/things/all')).rejects.toThrow(/ECONNREFUSED/);
    expect(envelopeOf((await pending).body)).toBe('done');
    await closed;
  });

  test('cuts what takes longer than its grace', async () => {
    handlers['echo'] = buffered(async () => sleep(2000, json('done')));
    const pending = call('POST', '/api/echo');
    pending.catch(() => undefined);
    await sleep(50);
    const began = performance.now();
    await server.close(100);
    expect(performance.now() - began).toBeLessThan(1000);
    await expect(pending).rejects.toThrow(/hang up|ECONNRESET/);
  });

  test('a port in use is reported in a sentence that names the flag', async () => {
    const again = startFrontServer({ port: server.port, routes, handlerOf: async () => handlers['echo']! });
    await expect(again).rejects.toThrow(
      `Port ${server.port} is in use by another program. Stop that one, or choose another with --port PORT.`,
    );
  });
});
