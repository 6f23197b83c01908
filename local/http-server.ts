import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorEnvelope } from '#contract/envelope.ts';
import type { Refusal } from '#contract/errors.ts';
import { sendError } from './gateway-reply.ts';
import { Problem, systemCode } from './problems.ts';

export interface HttpServerOptions {
  readonly port: number;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
  /** Gets one line per request: method, path, status, milliseconds; never query, headers or body. */
  readonly access?: (line: string) => void;
}

export interface HttpServer {
  readonly port: number;
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Takes no more connections, lets requests under way end for that long, then cuts them; asked again, waits along. */
  close(graceMs?: number): Promise<void>;
}

/** An HTTP server on 127.0.0.1 that answers also what is not HTTP with the envelope. Throws a Problem for a port in use. */
export async function startHttpServer({ port, answer, access }: HttpServerOptions): Promise<HttpServer> {
  const busy = new WeakSet<Duplex>();
  let closing: Promise<void> | undefined;
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 65_000 }, (request, response) => {
    const began = performance.now();
    busy.add(request.socket);
    if (closing) response.setHeader('Connection', 'close');
    response.once('close', () => {
      busy.delete(request.socket);
      if (closing) setImmediate(() => server.closeIdleConnections());
      access?.(accessLine(request, response, performance.now() - began));
    });
    if (request.httpVersion === '1.1' && request.headers.host === undefined)
      sendError(response, request.url ?? '', noHost, randomUUID());
    else answer(request, response);
  });
  server.on('clientError', (error, socket) => refuse(error, socket, busy.has(socket)));
  const bound = await listening(server, port);

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

const noHost: Refusal = { code: 'INVALID_FORMAT', detail: 'The request has no Host header.' };
const notHttp = errorEnvelope(
  'INVALID_FORMAT',
  'The request is not well-formed HTTP, its head is too large, or it came too slowly.',
);

/** What Node's parser refuses: as no response object exists, the answer is written out. */
function refuse(error: Error, socket: Duplex, isAnswering: boolean): void {
  if (isAnswering || !socket.writable || systemCode(error) === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(notHttp);
  const head = [
    'HTTP/1.1 400 Bad Request',
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
