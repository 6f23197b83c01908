import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Arm } from './arms.ts';
import { processorSeconds } from './processes.ts';

export interface Workload {
  readonly size: PromptSize;
  readonly stream: boolean;
}

export class Load {
  readonly arm: Arm;
  readonly #requests: readonly Buffer[];
  #next = 0;

  constructor(arm: Arm, { size, stream }: Workload, body = chatBody(size, stream)) {
    this.arm = arm;
    this.#requests = arm.headers.map((headers) => requestBytes(arm.path, headers, body));
  }

  #send(connection: Connection): Promise<Exchange> {
    return connection.exchange(this.#requests[this.#next++ % this.#requests.length] ?? Buffer.alloc(0));
  }

  async #served(connection: Connection): Promise<Exchange> {
    const exchange = await this.#send(connection);
    if (exchange.status !== 200) throw new Error(`${this.arm.name}: ${exchange.status} ${exchange.body.toString()}`);
    return exchange;
  }

  /** Sends sequential calls over one connection. Rejects unless every status is 200. */
  async sequential(calls: number): Promise<Exchange[]> {
    const connection = await Connection.open(this.arm.port);
    const exchanges: Exchange[] = [];
    for (let call = 0; call < calls; call++) exchanges.push(await this.#served(connection));
    connection.close();
    return exchanges;
  }

  async busy(connections: number, seconds: number): Promise<Busy> {
    const until = performance.now() + seconds * 1000;
    const began = performance.now();
    const before = this.#processorSeconds();
    const tookMs: number[] = [];
    let refused = 0;
    const work = async (): Promise<void> => {
      const connection = await Connection.open(this.arm.port);
      while (performance.now() < until) {
        const { status, totalMs } = await this.#send(connection);
        if (status === 200) tookMs.push(totalMs);
        else refused += 1;
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: connections }, work));
    const used = (this.#processorSeconds() - before) * 1000;
    const elapsedMs = performance.now() - began;
    return {
      callsPerSecond: (tookMs.length * 1000) / elapsedMs,
      processorMs: used / tookMs.length,
      busyShare: used / elapsedMs,
      totalMs: median(tookMs),
      refused,
    };
  }

  #processorSeconds(): number {
    return this.arm.pid === undefined ? Number.NaN : processorSeconds(this.arm.pid);
  }
}

/**
 * `processorMs`: CPU time of the gateway per call. `busyShare`: its share of one CPU. Both are NaN without a gateway.
 * `refused`: calls with another status than 200, not included in the rate.
 */
export interface Busy {
  readonly callsPerSecond: number;
  readonly processorMs: number;
  readonly busyShare: number;
  readonly totalMs: number;
  readonly refused: number;
}

/** Prompt sizes in bytes. The sentence below has 21 tokens in 94 bytes. */
const promptSizes = { '0.25 KB': 250, '4 KB': 4096, '64 KB': 65_536, '100,000 tokens': 448_000 } as const;
export type PromptSize = keyof typeof promptSizes;
export const allSizes = ['0.25 KB', '4 KB', '64 KB', '100,000 tokens'] as const satisfies readonly PromptSize[];

/** The only model whose context holds 100,000 tokens (bench/shared/offer.ts). */
export const largeModel = 'svc-1-128k';

const sentence = 'The quick brown fox jumps over the lazy dog, and nobody in the village has ever asked it why. ';

const reviews = {
  English:
    'I bought the Aurora 5 in Oslo. Its battery is superb, but the strap broke; write to Ada Lovelace at ada@example.com. ',
  Chinese: '我在 Oslo 买了 Aurora 5。电池非常好，但是表带坏了；请写信给 Ada Lovelace，地址是 ada@example.com。',
} as const;

/** An analysis request for a review of the given length that contains personal data. */
export function analysisBody(characters: number, language: keyof typeof reviews = 'English'): string {
  const review = reviews[language];
  return JSON.stringify({
    text: review.repeat(Math.ceil(characters / review.length)).slice(0, characters),
    analyses: ['sentiment', 'entities', 'pii'],
  });
}

/** A chat request of about the given size. All sizes up to 64 KB use the same model. */
export function chatBody(size: PromptSize, stream: boolean): string {
  const model = size === '100,000 tokens' ? largeModel : 'svc-1-32k';
  const content = sentence.repeat(Math.ceil(promptSizes[size] / sentence.length)).slice(0, promptSizes[size] - 100);
  return JSON.stringify({ model, messages: [{ role: 'user', content }], max_tokens: 64, stream });
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error('the median of an empty list is undefined');
  return (upper + lower) / 2;
}

/** Times are in ms, from the last byte of the request to the first byte of the body and to its end. */
export interface Exchange {
  readonly status: number;
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly body: Buffer;
}

/** Serializes a request in advance, so that the client spends no time on it during the measurement. */
export function requestBytes(path: string, headers: Readonly<Record<string, string>>, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries({ 'Content-Type': 'application/json', ...headers }).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * A persistent connection for one request at a time. It parses only enough HTTP to find the end of a response, because
 * it shares a CPU with the stubs.
 */
export class Connection {
  readonly #port: number;
  #socket: Socket;

  private constructor(port: number, socket: Socket) {
    this.#port = port;
    this.#socket = socket;
  }

  static async open(port: number): Promise<Connection> {
    return new Connection(port, await openSocket(port));
  }

  /** Repeats a request once, because a server may close an idle connection while the request is being sent. */
  async exchange(request: Buffer): Promise<Exchange> {
    try {
      return await this.#send(request);
    } catch {
      this.#socket = await openSocket(this.#port);
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

async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  // A pending request is rejected on close. An idle connection may close unnoticed.
  return socket.on('error', () => undefined);
}

const lastChunk = Buffer.from('0\r\n\r\n');

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

  /** The raw body, including chunk sizes. */
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
