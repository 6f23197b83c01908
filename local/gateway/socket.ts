import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { allowsOrigin, corsHeaders } from '#contract/http/cors.ts';
import { errorEnvelope } from '#contract/http/format.ts';
import { binaryTypesOf } from '#contract/http/request.ts';
import { routeMatcher } from '#contract/http/route-match.ts';
import type { Route } from '#contract/http/route.ts';
import { unknownRouteId } from '#contract/routes.ts';
import type { Refusal } from '#contract/shared/errors.ts';
import { BodyTooLarge, foreignRequest, readBody, sendJson } from '../shared/loopback.ts';
import type { Pages } from '../shared/pages.ts';
import { describeError, Problem, systemCode } from '../shared/problems.ts';
import { gatewayEvent, sendError } from './event.ts';
import { apiHandler, invoke, type LambdaHandler, type RouteFunction } from './lambda.ts';

export interface FrontServerOptions {
  /** 0 selects a free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  /** Receives a route id or `unknownRouteId`. Requests wait until it resolves. */
  readonly handlerOf: (id: string) => Promise<LambdaHandler>;
  /** Origins whose pages may call the API with keys. Default: none. */
  readonly corsOrigins?: ReadonlySet<string>;
  /** Serves everything except the API. Returns false for other paths. */
  readonly pages?: (request: IncomingMessage, response: ServerResponse, path: string) => boolean;
  /** `log` receives failures, `access` one line per request. */
  readonly log?: (line: string) => void;
  readonly access?: (line: string) => void;
  /** Called when a function has ended. */
  readonly onEnd?: () => void;
}

const none: ReadonlySet<string> = new Set();

/** Milliseconds that functions without a connection have to finish at shutdown. */
const settlingMs = 2000;

/** Maximum payload of API Gateway (AWS "Amazon API Gateway quotas", payload size). */
const maxBodyBytes = 10 * 1024 * 1024;

/**
 * Stands in for API Gateway, on loopback only. Converts requests to proxy events, invokes handlers and sends their
 * responses. Like on Lambda, a function continues after its client disconnects. At shutdown, running functions have a
 * short time to finish.
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
    const cors = [options.corsOrigins ?? none, path, request.headers.origin] as const;
    // For the gateway's own errors: functions set the same headers.
    for (const [name, value] of Object.entries(corsHeaders(...cors))) response.setHeader(name, value);
    const foreign = foreignRequest(request, path, allowsOrigin(...cors));
    if (foreign !== undefined) return sendForbidden(response, path, foreign);
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
    await invocation.finally(() => {
      running.delete(invocation);
      options.onEnd?.();
    });
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    respond(request, response).catch((error: unknown) => {
      if (request.destroyed && !request.complete) return;
      log(`the front server failed: ${describeError(error)}`);
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

/**
 * Responds with 403 instead of 421, because clients may retry a 421 automatically and the error codes are a closed set.
 */
function sendForbidden(response: ServerResponse, path: string, detail: string): void {
  if (path === '/_local' || path.startsWith('/_local/')) sendJson(response, 403, { error: detail });
  else sendError(response, path, { code: 'INSUFFICIENT_PERMISSIONS', detail }, randomUUID());
}

function unlessTooLarge(error: unknown): undefined {
  if (!(error instanceof BodyTooLarge)) throw error;
}

/** Splits path and query. Removes the origin from an absolute-form target. */
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
  /** Receives one line per request: method, path, status and milliseconds, without query, headers and body. */
  readonly access?: (line: string) => void;
}

export interface HttpServer {
  readonly port: number;
  readonly origin: string;
  /**
   * Stops accepting connections, waits up to `graceMs` for pending requests and then closes them. A second call waits
   * for the first.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * An HTTP server on 127.0.0.1 that responds with the envelope even to invalid HTTP. Throws a Problem if the port is in
 * use.
 */
export async function startHttpServer({ port, serve, access }: HttpServerOptions): Promise<HttpServer> {
  const latest = new WeakMap<Duplex, Exchange>();
  let closing: Promise<void> | undefined;
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 65_000 }, onRequest);
  // Node responds with a plain 417, but a server may ignore unknown expectations (RFC 9110, 10.1.1).
  server.on('checkExpectation', onRequest);
  server.on('connect', (_request, socket) => writeError(socket, '405 Method Not Allowed', connectNotSupported));
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

/** Host and optional port (RFC 3986, 3.2.2). Empty if the target has no authority. */
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

const malformedRequest: Refusal = {
  code: 'INVALID_FORMAT',
  detail: 'The request is not well-formed HTTP, its head is too large, or it arrived too slowly.',
};
const connectNotSupported: Refusal = {
  code: 'METHOD_NOT_ALLOWED',
  detail: 'CONNECT is not supported, because this server is not a proxy.',
};

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Responds to a parser error: in the pending response if the body is malformed, otherwise directly on the socket. */
function refuse(error: Error, socket: Duplex, exchange: Exchange | undefined): void {
  if (!socket.writable || isDisconnected(error, exchange)) socket.destroy();
  else if (!exchange) writeError(socket, '400 Bad Request', malformedRequest);
  else if (exchange.response.writableEnded) return;
  else if (exchange.request.complete || exchange.response.headersSent) socket.destroy();
  else {
    exchange.response.setHeader('Connection', 'close');
    sendError(exchange.response, exchange.request.url ?? '', malformedRequest, randomUUID());
  }
}

/** The client's data ended, even within a body, so it expects no response. */
function isDisconnected(error: Error, exchange: Exchange | undefined): boolean {
  const code = systemCode(error);
  return code === 'ECONNRESET' || (code === 'HPE_INVALID_EOF_STATE' && exchange !== undefined);
}

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
    return new Problem(
      `Port ${port} is in use by another program. Stop that program, or choose another port with --port PORT.`,
    );
  if (code === 'EACCES')
    return new Problem(`This user may not use port ${port}. Choose a port above 1023 with --port PORT.`);
  return error;
}

/** Prints only ASCII, so that a path cannot control the terminal. */
function accessLine(request: IncomingMessage, response: ServerResponse, ms: number): string {
  const path = (request.url ?? '/').split('?', 1)[0]?.replaceAll(/[^\x21-\x7e]/g, '?');
  const status = response.headersSent ? response.statusCode : 'closed by the client';
  return `${request.method} ${path} ${status} ${Math.round(ms)} ms`;
}

/** Handles requests during the start: API calls wait, and pages respond with 503. */
export interface Gate {
  readonly handlerOf: (id: string) => Promise<LambdaHandler>;
  readonly pages: Pages;
  open(pages: Pages): void;
}

const starting: Pages = (_request, response, path) => {
  if (/^\/(?:(?:api|v1|openai|anthropic)\/|anthropic$)/.test(path)) return false;
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
