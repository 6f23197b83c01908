import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import { Answer } from './answer.ts';
import { AnswerReader } from './answer-reader.ts';

/** A request under way: told its answer, or why there is none, and then when its answer has ended. */
export interface Exchange {
  readonly onAnswer: (answer: Answer) => void;
  readonly onError: (error: Error) => void;
  readonly onEnd: () => void;
}

/** Idle ones beyond these are closed. */
const mostIdle = 256;

/**
 * Connections to one origin, each kept for one request after another. Node.js' HTTP client does the same for every way HTTP is
 * spoken; for the one that AWS is asked in, it took a fifth of a whole call (docs/adr/0008-quick-first-attempt.md).
 */
export class Connections {
  readonly #url: URL;
  readonly #idle: Connection[] = [];
  /** Of the last TLS connection, which makes the next one cheaper (RFC 8446 section 2.2). */
  #session: Buffer | undefined;

  constructor(url: URL) {
    this.#url = url;
  }

  /** One that is free, else a new one. */
  take(): Connection {
    for (let one = this.#idle.pop(); one; one = this.#idle.pop()) if (one.isOpen) return one;
    return new Connection(this.#open(), (free) => {
      if (this.#idle.length < mostIdle) this.#idle.push(free);
      else free.close();
    });
  }

  #open(): Socket {
    const host = this.#url.hostname.replace(/^\[|\]$/g, '');
    if (this.#url.protocol === 'http:') return net.connect({ host, port: Number(this.#url.port || 80) });
    const servername = net.isIP(host) === 0 ? host : '';
    const port = Number(this.#url.port || 443);
    const socket = tls.connect({ host, port, servername, ALPNProtocols: ['http/1.1'], session: this.#session });
    socket.on('session', (session) => {
      this.#session = session;
    });
    return socket;
  }
}

/** One connection, for one request at a time. */
export class Connection {
  readonly #socket: Socket;
  readonly #onFree: (connection: Connection) => void;
  #reader = new AnswerReader();
  #exchange: Exchange | undefined;
  #answer: Answer | undefined;

  constructor(socket: Socket, onFree: (connection: Connection) => void) {
    this.#socket = socket;
    this.#onFree = onFree;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 1000);
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (error) => this.close(error));
    socket.on('close', () => this.#lost());
  }

  get isOpen(): boolean {
    return this.#socket.readyState === 'open';
  }

  /** A whole request, head and body. */
  send(request: string, exchange: Exchange): void {
    this.#socket.write(request);
    this.#socket.ref();
    this.#exchange = exchange;
    this.#reader = new AnswerReader();
  }

  /** Whoever waits for an answer is told the error. */
  close(error?: Error): void {
    this.#fail(error ?? cut('aborted'));
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    try {
      if (!this.#exchange) throw new Error('an answer that nobody asked for');
      const pieces = this.#reader.push(bytes);
      const { head, isComplete } = this.#reader;
      if (!head) return;
      if (!this.#answer) {
        this.#answer = new Answer(head, this.#socket);
        this.#exchange.onAnswer(this.#answer);
      }
      this.#answer.push(pieces);
      if (isComplete) this.#done();
    } catch (error) {
      this.close(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #done(): void {
    // A request that has not left whole would go on in front of the next one.
    const isFree = !this.#reader.isLast && this.#socket.writableLength === 0;
    this.#end();
    if (!isFree) return void this.#socket.destroy();
    this.#socket.resume();
    this.#socket.unref();
    this.#onFree(this);
  }

  #lost(): void {
    if (this.#exchange && this.#reader.end()) this.#end();
    else this.#fail(cut(this.#answer ? 'aborted' : 'socket hang up'));
  }

  #fail(error: Error): void {
    if (!this.#exchange) return;
    if (!this.#answer) this.#exchange.onError(error);
    this.#end(error);
  }

  #end(error?: Error): void {
    const [exchange, answer] = [this.#exchange, this.#answer];
    this.#exchange = undefined;
    this.#answer = undefined;
    answer?.end(error);
    exchange?.onEnd();
  }
}

/** As Node.js' HTTP client calls it. */
const cut = (message: string): Error => Object.assign(new Error(message), { code: 'ECONNRESET' });
