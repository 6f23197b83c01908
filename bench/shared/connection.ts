import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One response: milliseconds from the request's last byte to the first byte of the body, and to its end. */
export interface Exchange {
  readonly status: number;
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly body: Buffer;
}

/** A request as bytes, so that making it costs the client nothing. */
export function requestBytes(path: string, headers: Readonly<Record<string, string>>, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * A connection that is kept, for one request at a time. It parses just enough HTTP to find the end of a response, and so
 * takes little of the processor that it shares with the stubs.
 */
export class Connection {
  readonly #port: number;
  #socket: Socket;

  private constructor(port: number, socket: Socket) {
    this.#port = port;
    this.#socket = socket;
  }

  static async open(port: number): Promise<Connection> {
    return new Connection(port, await opened(port));
  }

  /** A server may end a connection just as a request is sent over it; that is then sent once more. */
  async exchange(request: Buffer): Promise<Exchange> {
    try {
      return await this.#send(request);
    } catch {
      this.#socket = await opened(this.#port);
      return this.#send(request);
    }
  }

  #send(request: Buffer): Promise<Exchange> {
    const { promise, resolve, reject } = Promise.withResolvers<Exchange>();
    const socket = this.#socket;
    const began = performance.now();
    let firstByteMs = 0;
    const reader = new ResponseReader();
    const settle = (): void => {
      socket.off('data', read).off('close', fail);
    };
    const fail = (): void => {
      settle();
      reject(new Error('the connection closed before the response ended'));
    };
    const read = (bytes: Buffer): void => {
      reader.push(bytes);
      if (firstByteMs === 0 && reader.bodyBytes > 0) firstByteMs = performance.now() - began;
      if (!reader.isComplete) return;
      settle();
      resolve({ status: reader.status, firstByteMs, totalMs: performance.now() - began, body: reader.body() });
    };
    socket.on('data', read).on('close', fail);
    socket.write(request);
    return promise;
  }

  close(): void {
    this.#socket.destroy();
  }
}

async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  // A pending request is rejected at the close; an idle connection may close unnoticed.
  return socket.on('error', () => undefined);
}

const lastChunk = Buffer.from('0\r\n\r\n');

/** Finds the end of a response: by its length, or by its last chunk. */
class ResponseReader {
  status = 0;
  isComplete = false;
  bodyBytes = 0;
  #head: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #length: number | undefined;
  #hasHead = false;

  push(bytes: Buffer): void {
    if (this.#hasHead) {
      this.#take(bytes);
      return;
    }
    this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    const end = this.#head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#head.toString('latin1', 0, end);
    this.status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#length = length === undefined ? undefined : Number(length);
    this.#hasHead = true;
    this.#take(this.#head.subarray(end + 4));
  }

  /** As it came, with the marks of its chunks. */
  body(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #take(bytes: Buffer): void {
    this.bodyBytes += bytes.length;
    this.#parts.push(bytes);
    this.isComplete = this.#length === undefined ? this.#endsWithLastChunk() : this.bodyBytes >= this.#length;
  }

  #endsWithLastChunk(): boolean {
    const last = this.#parts.at(-1) ?? lastChunk;
    const tail = last.length < lastChunk.length ? this.body() : last;
    return tail.subarray(-lastChunk.length).equals(lastChunk);
  }
}
