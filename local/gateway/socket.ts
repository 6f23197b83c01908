import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorEnvelope } from '#contract/http/envelope.ts';
import { binaryTypesOf } from '#contract/http/media-kinds.ts';
import { routeMatcher } from '#contract/http/route-match.ts';
import type { Route } from '#contract/http/route.ts';
import { unknownRouteId } from '#contract/routes.ts';
import type { Refusal } from '#contract/shared/errors.ts';
import { BodyTooLarge, foreignRequest, readBody, sendJson } from '../shared/loopback.ts';
import type { Pages } from '../shared/pages.ts';
import { described, Problem, systemCode } from '../shared/problems.ts';
import { gatewayEvent, sendError } from './event.ts';
import { apiHandler, invoke, type LambdaHandler, type RouteFunction } from './lambda.ts';

export interface FrontServerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  /** The handler of a route's id, or of `unknownRouteId`. While it waits, so does the request. */
  readonly handlerOf: (id: string) => Promise<LambdaHandler>;
  /** Serves what is not the API; false where it does not. */
  readonly pages?: (request: IncomingMessage, response: ServerResponse, path: string) => boolean;
  /** Logs every failed function, and every request in one line. */
  readonly log?: (line: string) => void;
  readonly access?: (line: string) => void;
}

/** Milliseconds for what has no connection any more. */
const settlingMs = 2000;

/** The largest payload that API Gateway passes to a function (AWS "Amazon API Gateway quotas", payload size). */
const maxBodyBytes = 10 * 1024 * 1024;

/**
 * API Gateway's part on one machine: HTTP in, proxy events to handlers, their responses out. Loopback only. A function goes on when its
 * reader has left, as on Lambda; closing leaves those that still run a moment more to settle.
 */
export async function startFrontServer(options: FrontServerOptions): Promise<HttpServer> {
  const match = routeMatcher(options.routes);
  const binaryTypes = new Set(binaryTypesOf(options.routes));
  const log = options.log ?? (() => undefined);
  const running = new Set<Promise<void>>();

  function functionOf(route: Route | undefined): RouteFunction {
    const id = route?.id ?? unknownRouteId;
    return {
      id,
      timeoutSeconds: route?.timeoutSeconds ?? 28,
      waitsForModel: route?.priced !== undefined,
      load: () => options.handlerOf(id),
    };
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path, query] = splitTarget(request.url ?? '/');
    const foreign = foreignRequest(request, path);
    if (foreign !== undefined) return sendForeign(response, path, foreign);
    if (options.pages?.(request, response, path)) return;
    const requestId = randomUUID();
    const body = await readBody(request, maxBodyBytes).catch(unlessTooLarge);
    if (!body) return sendError(response, path, tooLarge, requestId);
    if (decoded(path) === undefined) return sendError(response, path, badPath, requestId);
    const method = request.method ?? 'GET';
    const found = match(method, path);
    const event = gatewayEvent({
      method,
      path,
      query,
      rawHeaders: request.rawHeaders,
      sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
      body,
      isBinary: binaryTypes.has(mediaType(request)),
      requestId,
      resource: found?.route.path ?? '/{proxy+}',
      pathParameters: found ? decodedValues(found.rawParameters) : { proxy: path.slice(1) },
      at: new Date(),
    });
    const invocation = invoke(functionOf(found?.route), event, response, log);
    running.add(invocation);
    await invocation.finally(() => running.delete(invocation));
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    respond(request, response).catch((error: unknown) => {
      if (request.destroyed && !request.complete) return;
      log(`the front server failed: ${described(error)}`);
      if (response.headersSent) response.destroy();
      else sendError(response, request.url ?? '', failed, randomUUID());
    });
  }

  const server = await startHttpServer({
    port: options.port,
    serve,
    ...(options.access && { access: options.access }),
  });

  async function close(graceMs = 0): Promise<void> {
    await server.close(graceMs);
    await Promise.race([Promise.allSettled(running), sleep(Math.min(graceMs, settlingMs), undefined, { ref: false })]);
  }

  return { ...server, close };
}

const tooLarge: Refusal = {
  code: 'PAYLOAD_TOO_LARGE',
  detail: `The body is larger than ${maxBodyBytes} bytes.`,
};
const badPath: Refusal = {
  code: 'INVALID_FORMAT',
  detail: 'The path has a percent sign that is not part of an encoded character.',
};
const failed: Refusal = { code: 'INTERNAL_ERROR', detail: 'Something went wrong on our side.' };

/** 403 and not 421, on which a client may try again by itself; and the table of error codes is closed. */
function sendForeign(response: ServerResponse, path: string, detail: string): void {
  if (path === '/_local' || path.startsWith('/_local/')) sendJson(response, 403, { error: detail });
  else sendError(response, path, { code: 'INSUFFICIENT_PERMISSIONS', detail }, randomUUID());
}

function unlessTooLarge(error: unknown): undefined {
  if (!(error instanceof BodyTooLarge)) throw error;
}

/** Path and query; a proxy-style target, which names the host too, loses it. */
function splitTarget(target: string): [path: string, query: string] {
  const local = target.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = local.indexOf('?');
  return mark === -1 ? [local, ''] : [local.slice(0, mark), local.slice(mark + 1)];
}

const mediaType = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function decodedValues(parameters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decoded(value) ?? value]));
}

export interface HttpServerOptions {
  readonly port: number;
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  /** Gets one line per request: method, path, status, milliseconds; never query, headers or body. */
  readonly access?: (line: string) => void;
}

export interface HttpServer {
  readonly port: number;
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Takes no more connections, lets requests under way end for that long, then cuts them; a second call waits for the first. */
  close(graceMs?: number): Promise<void>;
}

/** An HTTP server on 127.0.0.1 that sends the envelope also for what is not HTTP. Throws a Problem for a port in use. */
export async function startHttpServer({ port, serve, access }: HttpServerOptions): Promise<HttpServer> {
  const latest = new WeakMap<Duplex, Exchange>();
  let closing: Promise<void> | undefined;
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 65_000 }, onRequest);
  // Node would refuse it with a bare 417; HTTP lets a server do without what it does not know (RFC 9110, 10.1.1).
  server.on('checkExpectation', onRequest);
  server.on('connect', (_request, socket) => writeError(socket, '405 Method Not Allowed', noTunnel));
  server.on('clientError', (error, socket) => refuse(error, socket, latest.get(socket)));
  const bound = await listening(server, port);

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const began = performance.now();
    const exchange = { request, response };
    latest.set(request.socket, exchange);
    if (closing) response.setHeader('Connection', 'close');
    response.once('close', () => {
      if (latest.get(request.socket) === exchange) latest.delete(request.socket);
      if (closing) setImmediate(() => server.closeIdleConnections());
      access?.(accessLine(request, response, performance.now() - began));
    });
    const badHost = hostRefusal(request);
    if (badHost) sendError(response, request.url ?? '', badHost, randomUUID());
    else serve(request, response);
  }

  async function end(graceMs: number): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(timer);
  }

  const close = (graceMs = 0): Promise<void> => (closing ??= end(graceMs));

  return { port: bound, origin: `http://127.0.0.1:${bound}`, close };
}

/** Host and optional port (RFC 3986, 3.2.2); empty if the target has no authority. */
const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/i;

/**
 * Returns a 400 for a request with an invalid Host header, none, or more than one (RFC 9112, 3.2). HTTP/1.0 does not
 * require it. Node.js keeps only the first of several, so the raw headers are counted.
 */
function hostRefusal({ rawHeaders, httpVersion }: IncomingMessage): Refusal | undefined {
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host');
  const [host] = hosts;
  const isMissing = host === undefined && httpVersion === '1.1';
  if (!isMissing && hosts.length < 2 && hostPattern.test(host ?? '')) return undefined;
  return {
    code: 'INVALID_FORMAT',
    detail: 'The request must have exactly one Host header, with a host and an optional port.',
  };
}

const notHttp: Refusal = {
  code: 'INVALID_FORMAT',
  detail: 'The request is not well-formed HTTP, its head is too large, or it came too slowly.',
};
const noTunnel: Refusal = { code: 'METHOD_NOT_ALLOWED', detail: 'This is no proxy: CONNECT is not served.' };

/** A request and its response, from its head to the response's end. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What Node's parser refuses: a body that breaks off the rules in its own response, what is no request at all by itself. */
function refuse(error: Error, socket: Duplex, exchange: Exchange | undefined): void {
  if (!socket.writable || hasLeft(error, exchange)) socket.destroy();
  else if (!exchange) writeError(socket, '400 Bad Request', notHttp);
  else if (exchange.response.writableEnded) return;
  else if (exchange.request.complete || exchange.response.headersSent) socket.destroy();
  else {
    exchange.response.setHeader('Connection', 'close');
    sendError(exchange.response, exchange.request.url ?? '', notHttp, randomUUID());
  }
}

/** Also the end of the client's bytes within a body: the client waits for no response then. */
function hasLeft(error: Error, exchange: Exchange | undefined): boolean {
  const code = systemCode(error);
  return code === 'ECONNRESET' || (code === 'HPE_INVALID_EOF_STATE' && exchange !== undefined);
}

/** Where no response object exists, the response is written out. */
function writeError(socket: Duplex, status: string, { code, detail }: Refusal): void {
  const body = JSON.stringify(errorEnvelope(code, detail));
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

async function listening(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw portProblem(port, error);
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

function portProblem(port: number, error: unknown): unknown {
  const code = systemCode(error);
  if (code === 'EADDRINUSE')
    return new Problem(`Port ${port} is in use by another program. Stop that one, or choose another with --port PORT.`);
  if (code === 'EACCES')
    return new Problem(`This user may not serve on port ${port}. Choose one above 1023 with --port PORT.`);
  return error;
}

/** Only printable ASCII: a path must not be able to steer a terminal. */
function accessLine(request: IncomingMessage, response: ServerResponse, ms: number): string {
  const path = (request.url ?? '/').split('?', 1)[0]?.replaceAll(/[^\x21-\x7e]/g, '?');
  const status = response.headersSent ? response.statusCode : 'closed by the client';
  return `${request.method} ${path} ${status} ${Math.round(ms)} ms`;
}

/** What requests meet from the moment the port is taken: API calls wait for the start, pages respond with 503 meanwhile. */
export interface Gate {
  readonly handlerOf: (id: string) => Promise<LambdaHandler>;
  readonly pages: Pages;
  open(pages: Pages): void;
}

const starting: Pages = (_request, response, path) => {
  if (path.startsWith('/api/') || path.startsWith('/v1/') || path.startsWith('/openai/')) return false;
  sendJson(response, 503, { ready: false, error: 'The service is starting.' }, { 'retry-after': '1' });
  return true;
};

export function createGate(): Gate {
  const opened = Promise.withResolvers<void>();
  let current = starting;

  async function handlerOf(id: string): Promise<LambdaHandler> {
    await opened.promise;
    return apiHandler(id);
  }

  function open(pages: Pages): void {
    current = pages;
    opened.resolve();
  }

  return { handlerOf, pages: (...parameters) => current(...parameters), open };
}
