import { createServer, type Socket } from 'node:net';

/** A complete POST request. */
export interface HttpRequest {
  readonly target: string;
  readonly head: string;
  readonly body: string;
}

/**
 * A server that parses just enough HTTP for POST requests over kept connections: what stands behind the gateways shares a
 * processor with their clients, and its time is in every figure but not what is measured. Bodies need a length.
 */
export function serveRequests(port: number, handle: (request: HttpRequest, socket: Socket) => void): void {
  const server = createServer({ noDelay: true }, (socket) => {
    let held: Buffer = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const request = requestIn(held);
      if (!request) return;
      held = Buffer.alloc(0);
      handle(request, socket);
    });
  });
  server.listen(port, '127.0.0.1');
}

function requestIn(bytes: Buffer): HttpRequest | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`a request without a length: ${head.slice(0, 200)}`);
  const body = bytes.subarray(end + 4);
  if (body.length < Number(length)) return undefined;
  return { target: head.slice('POST '.length, head.indexOf(' ', 'POST '.length)), head, body: body.toString() };
}

/** A response of 200 with its body, which is all ASCII. */
export function sendWhole(socket: Socket, type: string, body: string, headers = ''): void {
  socket.write(`${headOf(type)}${headers}content-length: ${body.length}\r\n\r\n${body}`, 'latin1');
}

/** The head of a chunked response. */
export function beginChunks(socket: Socket, type: string): void {
  socket.write(`${headOf(type)}transfer-encoding: chunked\r\n\r\n`);
}

/** One chunk; without a part the last. */
export function chunkOf(part: Uint8Array = new Uint8Array()): Buffer {
  return Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
}

const headOf = (type: string): string => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n`;
