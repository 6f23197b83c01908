import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import { attempt, Connections, type TransportOptions } from '#aws/transport.ts';

/** A server that responds to each request with given bytes in pieces, and then may end the connection. */
export const two = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
export interface Script {
  readonly pieces: readonly Buffer[];
  readonly ends?: boolean;
  readonly gapMs?: number;
  /** Resets the connection after the pieces. */
  readonly resets?: boolean;
}

export const request = { path: '/', headers: { host: 'a' }, body: 'body' };

export async function read(over: Connections, options: TransportOptions = {}): Promise<string> {
  const result = await attempt(over, request, options);
  if ('error' in result) return 'no response';
  const { status, headers } = result.response;
  const name = headers['x-name'];
  return summaryOf(status, Array.isArray(name) ? name.join(', ') : name, buffer(result.response));
}

export async function summaryOf(status: number, name: string | undefined, body: Promise<Buffer>): Promise<string> {
  const bytes = await body.catch(() => undefined);
  return `${status} ${name} ${bytes ? bytes.toString('hex') : 'broke off'}`;
}
export const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
export const crlf = '\r\n';

export const head = `HTTP/1.1 200 OK${crlf}`;
export const chunked = `${head}Transfer-Encoding: chunked${crlf}${crlf}`;

/** A server that sends given bytes, and the results of reading them. */
export function useScriptedServer() {
  let script: Script;
  const requests: number[] = [];
  const sockets: Socket[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString();
      if (!received.endsWith('body')) return;
      received = '';
      requests.push(requests.length);
      void play(socket);
    });
  });

  async function play(socket: Socket): Promise<void> {
    const { pieces, ends, gapMs, resets } = script;
    for (const piece of pieces) {
      socket.write(piece);
      await (gapMs === undefined ? nextTurn() : sleep(gapMs));
    }
    if (ends) socket.end();
    if (resets) socket.resetAndDestroy();
  }

  let port: number;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const connections = (now?: () => number) => new Connections(`http://127.0.0.1:${port}`, now);

  return {
    get script() {
      return script;
    },
    set script(value) {
      script = value;
    },
    requests,
    sockets,
    get port() {
      return port;
    },
    connections,
  };
}
