import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorEnvelope } from '#contract/http/format.ts';
import type { Refusal } from '#contract/shared/errors.ts';
import { Problem, systemCode } from '../shared/problems.ts';
import { sendError } from './gateway-response.ts';

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
