import type { Dispatcher } from 'undici';
import type { HttpRequest } from '../aws/signature.ts';
import type { Connection, Connections } from './connections.ts';
import { HttpResponse } from './http-response.ts';

export interface TransportOptions {
  /** Milliseconds until the end of the response; undefined for no limit. */
  readonly requestTimeout?: number;
}

export interface Cancellation {
  readonly isOver: boolean;
  onEnd: (() => void) | undefined;
}

export type AttemptResult =
  | { readonly response: HttpResponse; readonly body?: AsyncIterable<Uint8Array> | Iterable<Uint8Array> }
  | { readonly error: unknown };

/**
 * Sends a request once, or again if a kept-alive connection breaks before the first byte. Errors have the SDK's
 * names, so that it recognizes retryable ones.
 */
export function attempt(
  connections: Connections,
  request: HttpRequest,
  options: TransportOptions,
  cancellation?: Cancellation,
): Promise<AttemptResult> {
  if (cancellation?.isOver) return Promise.resolve({ error: named('AbortError', cancelled) });
  const { promise, resolve } = Promise.withResolvers<AttemptResult>();
  const exchange = new Exchange(connections, request, options, resolve);
  exchange.start(cancellation);
  return promise;
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #connections: Connections;
  readonly #request: Dispatcher.DispatchOptions;
  readonly #options: TransportOptions;
  readonly #resolve: (result: AttemptResult) => void;
  #connection: Connection;
  #cancellation: Cancellation | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasBegun = false;
  #closedFor: Error | undefined;
  #response: HttpResponse | undefined;

  constructor(
    connections: Connections,
    { path, headers, body }: HttpRequest,
    options: TransportOptions,
    resolve: (result: AttemptResult) => void,
  ) {
    this.#connections = connections;
    this.#request = { method: 'POST', path, headers, body };
    this.#options = options;
    this.#resolve = resolve;
    this.#connection = connections.acquire();
  }

  start(cancellation: Cancellation | undefined): void {
    this.#cancellation = cancellation;
    const cancel = (): void => this.#close('AbortError', cancelled);
    if (cancellation) cancellation.onEnd = cancel;
    const { requestTimeout } = this.#options;
    const expire = (): void => this.#close('TimeoutError', `no response within ${requestTimeout} ms`);
    if (requestTimeout !== undefined) this.#timer = setTimeout(expire, requestTimeout);
    this.#connection.send(this.#request, this);
  }

  onRequestStart(): void {}

  onResponseStarted(): void {
    this.#hasBegun = true;
  }

  onResponseStart(
    flow: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const isInterim = status < 200;
    if (isInterim) return;
    this.#response = new HttpResponse(status, headers, { flow, close: () => this.#connection.close() });
    this.#resolve({ response: this.#response });
  }

  onResponseData(_: Dispatcher.DispatchController, piece: Buffer): void {
    this.#response?.push(piece);
  }

  onResponseEnd(): void {
    this.#settle();
    this.#response?.end();
    this.#connection.isReused = true;
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
    this.#settle();
    const cause = this.#closedFor ?? error;
    if (this.#response) this.#response.end(isReset ? reset('Error', 'aborted') : cause);
    else this.#resolve({ error: isReset ? reset('TimeoutError', 'socket hang up') : cause });
  }

  #close(name: string, message: string): void {
    this.#closedFor = named(name, message);
    this.#connection.close(this.#closedFor);
  }

  #settle(): void {
    clearTimeout(this.#timer);
    if (this.#cancellation) this.#cancellation.onEnd = undefined;
  }
}

const cancelled = 'the request was cancelled';
const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

/** Codes of connections that timed out or were closed by the peer or an intermediary. */
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

const reset = (name: string, message: string): Error => Object.assign(named(name, message), { code: 'ECONNRESET' });
