import type { buildConnector as Connector, Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import { connectionTimeout } from './timeouts.ts';

/** A POST request. Header names are in lower case and include `host`. */
export interface HttpRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface TransportOptions {
  /** Limit in milliseconds for the whole response; undefined for no limit. */
  readonly requestTimeout?: number;
  /** Returns the origin to use instead. Called for each request. */
  readonly originOf?: (origin: string) => string;
}

/** Cancels an attempt early: the attempt sets `onEnd`, and its owner calls it. */
export interface Cancellation {
  readonly isOver: boolean;
  onEnd: (() => void) | undefined;
}

/** A response whose body is read once, piece by piece. Header names are in lower case. */
export interface HttpResponse extends AsyncIterable<Buffer> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A response of any status, or an error. `body` replaces the response's body if that has been read in part. */
export type AttemptResult =
  | { readonly response: HttpResponse; readonly body?: AsyncIterable<Uint8Array> | Iterable<Uint8Array> }
  | { readonly error: unknown };

const maxIdleConnections = 256;
/** Older idle connections are not reused, because the peer may have closed them. */
const maxIdleMs = 10_000;
const keepAliveInitialDelay = 1000;
/** Unread bytes above which the sender is paused. */
const maxUnreadBytes = 64 * 1024;
/** Time that an abandoned response may still take to end. After that its connection is closed. */
const drainMs = 1000;

/** Connections to one origin at a time, each reused for consecutive requests. */
export class Connections {
  readonly #origin: () => string;
  readonly #now: () => number;
  readonly #idle: Connection[] = [];
  /** Shared, so that a new connection resumes the TLS session of an earlier one. */
  readonly #connect = buildConnector({ allowH2: false, timeout: connectionTimeout, keepAliveInitialDelay });

  constructor(origin: string, now: () => number = Date.now, originOf = (same: string): string => same) {
    this.#origin = () => originOf(origin);
    this.#now = now;
  }

  /** An idle or new connection. Compares clock times, because timers stop while Lambda freezes the function. */
  take(): Connection {
    const origin = this.#origin();
    for (let one = this.#idle.pop(); one; one = this.#idle.pop()) {
      if (one.isOpen && one.origin === origin && this.#now() - one.idleSince < maxIdleMs) return one;
      one.close();
    }
    return this.open();
  }

  open(): Connection {
    return new Connection(this.#origin(), this.#connect);
  }

  release(connection: Connection): void {
    connection.isReused = true;
    connection.idleSince = this.#now();
    if (this.#idle.length >= maxIdleConnections) connection.close();
    else this.#idle.push(connection);
  }
}

/** A connection for one request at a time. */
class Connection {
  idleSince = 0;
  isOpen = false;
  /** Whether the open connection has already served a request. `undici` reconnects by itself. */
  isReused = false;
  readonly origin: string;
  readonly #client: Client;

  constructor(origin: string, connect: Connector.connector) {
    const timeouts = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: maxIdleMs, keepAliveMaxTimeout: maxIdleMs };
    this.origin = origin;
    this.#client = new Client(origin, { connect, allowH2: false, ...timeouts });
    this.#client.on('connect', () => {
      this.isOpen = true;
      this.isReused = false;
    });
    this.#client.on('disconnect', () => {
      this.isOpen = false;
    });
  }

  send(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(request, handler);
  }

  /** Fails the request in flight with the error. */
  close(error: Error | null = null): void {
    this.#client.destroy(error, () => undefined);
  }
}

/**
 * Sends a request once. Sends it again, over a new connection, only if a reused connection breaks before the first byte
 * of a response. The errors have the names and codes by which the SDK decides about retries.
 */
export function attempt(
  connections: Connections,
  request: HttpRequest,
  options: TransportOptions,
  cancellation?: Cancellation,
): Promise<AttemptResult> {
  if (cancellation?.isOver) return Promise.resolve({ error: named('AbortError', cancelled) });
  const { promise, resolve } = Promise.withResolvers<AttemptResult>();
  new Exchange(connections, request, resolve).start(options, cancellation);
  return promise;
}

class Exchange implements Dispatcher.DispatchHandler, HttpResponse {
  status = 0;
  headers: HttpResponse['headers'] = {};
  readonly #connections: Connections;
  readonly #request: Dispatcher.DispatchOptions;
  readonly #resolve: (result: AttemptResult) => void;
  #connection: Connection;
  #cancellation: Cancellation | undefined;
  #timer: NodeJS.Timeout | undefined;
  #flow: Dispatcher.DispatchController | undefined;
  #hasBegun = false;
  #closedFor: Error | undefined;
  readonly #unread: Buffer[] = [];
  #unreadBytes = 0;
  #isAbandoned = false;
  #isComplete = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(
    connections: Connections,
    { path, headers, body }: HttpRequest,
    resolve: (result: AttemptResult) => void,
  ) {
    this.#connections = connections;
    this.#request = { method: 'POST', path, headers, body };
    this.#resolve = resolve;
    this.#connection = connections.take();
  }

  start({ requestTimeout }: TransportOptions, cancellation: Cancellation | undefined): void {
    this.#cancellation = cancellation;
    const cancel = (): void => this.#close('AbortError', cancelled);
    if (cancellation) cancellation.onEnd = cancel;
    const expire = (): void => this.#close('TimeoutError', `no response within ${requestTimeout} ms`);
    if (requestTimeout !== undefined) this.#timer = setTimeout(expire, requestTimeout);
    this.#connection.send(this.#request, this);
  }

  onRequestStart(): void {}

  onResponseStarted(): void {
    this.#hasBegun = true;
  }

  onResponseStart(flow: Dispatcher.DispatchController, status: number, headers: HttpResponse['headers']): void {
    const isInterim = status < 200;
    if (isInterim) return;
    this.status = status;
    this.headers = headers;
    this.#flow = flow;
    this.#resolve({ response: this });
  }

  onResponseData(flow: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#isAbandoned) return;
    this.#unread.push(piece);
    this.#unreadBytes += piece.length;
    if (this.#unreadBytes > maxUnreadBytes) flow.pause();
    this.#wake?.();
  }

  onResponseEnd(): void {
    this.#complete();
    this.#connections.release(this.#connection);
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    const isReset = !this.#closedFor && isBreak(error);
    const { isReused } = this.#connection;
    this.#connection.close();
    if (isReset && isReused && !this.#hasBegun) {
      this.#connection = this.#connections.open();
      this.#connection.send(this.#request, this);
      return;
    }
    const cause = this.#closedFor ?? error;
    if (this.#flow) this.#error = isReset ? reset('Error', 'aborted') : cause;
    else this.#resolve({ error: isReset ? reset('TimeoutError', 'socket hang up') : cause });
    this.#complete();
  }

  #close(name: string, message: string): void {
    this.#closedFor = named(name, message);
    this.#connection.close(this.#closedFor);
  }

  #complete(): void {
    clearTimeout(this.#timer);
    if (this.#cancellation) this.#cancellation.onEnd = undefined;
    this.#isComplete = true;
    this.#wake?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer, undefined> {
    return {
      next: async () => {
        const value = await this.#next();
        return value ? { done: false, value } : { done: true, value };
      },
      return: async () => {
        this.#abandon();
        return { done: true, value: undefined };
      },
    };
  }

  async #next(): Promise<Buffer | undefined> {
    while (this.#unread.length === 0) {
      if (this.#error) throw this.#error;
      if (this.#isComplete) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    const piece = this.#unread.shift();
    this.#unreadBytes -= piece?.length ?? 0;
    if (this.#unreadBytes <= maxUnreadBytes) this.#flow?.resume();
    return piece;
  }

  /** Waits for a response that ends soon, to keep its connection open. */
  #abandon(): void {
    if (this.#isComplete) return;
    this.#isAbandoned = true;
    this.#flow?.resume();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connection.close(), drainMs).unref();
  }
}

const cancelled = 'the request was cancelled';
const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

/** Error codes of a connection that did not open in time, or that the peer or the network closed. */
const breaks = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'HPE_INVALID_EOF_STATE',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_SOCKET',
]);

const isBreak = (error: Error): boolean => 'code' in error && breaks.has(String(error.code));

/** The SDK's error for a broken connection, as the HTTP client of Node.js reports it. */
const reset = (name: string, message: string): Error => Object.assign(named(name, message), { code: 'ECONNRESET' });
