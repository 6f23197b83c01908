import { lookup as systemLookup } from 'node:dns/promises';
import { type LookupFunction, type Socket, isIP } from 'node:net';
import type { Dispatcher, buildConnector as Connector } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { AttemptResult } from '#domain/webhooks/delivery.ts';
import type { Receiver } from '#domain/webhooks/worker.ts';

/** A request may take so long to the end of its response. */
const attemptMs = 15_000;
/** Bytes of a response that are read, after which its connection is closed, and that are kept. */
const maxReadBytes = 64 * 1024;
const maxKeptBytes = 4 * 1024;
const maxConnections = 10;

const fixedHeaders = { 'content-type': 'application/json', 'user-agent': 'text-ai-webhooks/1' };

export interface ReceiverSettings {
  /** Whether a connection may be made to an address. */
  readonly isAllowed: (address: string) => boolean;
  /** Default: by the system. */
  readonly resolve?: Resolve;
  /** Default: 15 s. */
  readonly timeoutMs?: number;
}

/** Sends to a URL over HTTP/1.1, to addresses that webhooks may be at only, and follows no redirect. */
export function httpReceiver(text: string, { isAllowed, resolve, timeoutMs = attemptMs }: ReceiverSettings): Receiver {
  const url = new URL(text);
  const pool = new Pool(url.origin, {
    connections: maxConnections,
    pipelining: 1,
    connect: guardedConnector(isAllowed, resolve),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    send(headers, body) {
      const { promise, resolve: done } = Promise.withResolvers<AttemptResult>();
      const path = `${url.pathname}${url.search}`;
      const exchange = new Exchange(timeoutMs, done);
      try {
        pool.dispatch({ method: 'POST', path, headers: { ...fixedHeaders, ...headers }, body }, exchange);
      } catch (error) {
        exchange.onResponseError(null, error);
      }
      return promise;
    },
    // What is under way has been given up.
    close: () => void pool.destroy().catch(() => undefined),
  };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** One request and as much of its response as counts. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #began = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #done: (result: AttemptResult) => void;
  readonly #kept: Buffer[] = [];
  #readBytes = 0;
  #keptBytes = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | undefined;
  #retryAfterMs: number | undefined;
  #isOver = false;

  constructor(timeoutMs: number, done: (result: AttemptResult) => void) {
    this.#done = done;
    this.#timer = setTimeout(() => this.#end(`No response within ${timeoutMs / 1000} s.`), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('given up'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    this.#status = status;
    this.#retryAfterMs = retryAfter(headers['retry-after']);
  }

  onResponseData(_: Dispatcher.DispatchController, piece: Buffer): void {
    this.#readBytes += piece.length;
    const room = maxKeptBytes - this.#keptBytes;
    if (room > 0) this.#kept.push(piece.subarray(0, room));
    this.#keptBytes += Math.min(room, piece.length);
    if (this.#readBytes >= maxReadBytes) this.#end();
  }

  onResponseEnd(): void {
    this.#end(undefined, false);
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: unknown): void {
    this.#end(failureText(error), false);
  }

  /** A response whose status has come counts, also where its body breaks off. */
  #end(failure?: string, isCut = true): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (isCut) this.#controller?.abort(new Error('given up'));
    const durationMs = Math.round(performance.now() - this.#began);
    if (this.#status === undefined) return this.#done({ durationMs, error: failure ?? 'The request failed.' });
    const retryAfterMs = this.#retryAfterMs;
    return this.#done({
      durationMs,
      status: this.#status,
      body: textOf(Buffer.concat(this.#kept)),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
}

/** Whatever it is, as text; a character that was cut is left out. */
const textOf = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true });

/** Seconds, or a date (RFC 9110, 10.2.3). */
function retryAfter(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  // Of its forms all begin with a day of the week; `Date` takes more.
  const at = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** A host has an address that webhooks may not be at. */
class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';

  constructor() {
    super('the host has an address that is not public');
  }
}

interface Address {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
type Resolve = (name: string) => Promise<readonly Address[]>;

const resolveBySystem: Resolve = (name) => systemLookup(name, { all: true });

const connectTimeoutMs = 5000;

/** Faster than responses need; what HTTP does not count as a response, such as 1xx and extensions of chunks, has no other bound. */
const maxBytesPerTurn = 256 * 1024;
const turnMs = 100;

/**
 * Opens connections to addresses that webhooks may be at, and to no others. The check is of the very addresses that are connected to, within the
 * look-up that the connection makes itself, so that no name can have changed in between; and once more of the one that was taken.
 */
function guardedConnector(
  isAllowed: ReceiverSettings['isAllowed'],
  resolve: Resolve = resolveBySystem,
): Connector.connector {
  const lookup: LookupFunction = (name, options, done) => {
    void resolve(name).then(
      (found) => {
        const [first] = found;
        // A name that has one of each kind is nobody's mistake.
        if (!first || !found.every(({ address }) => isAllowed(address))) return done(new ForbiddenAddress(), '', 0);
        return options.all ? done(null, [...found]) : done(null, first.address, first.family);
      },
      (error: unknown) => done(error instanceof Error ? error : new Error('the name could not be resolved'), '', 0),
    );
  };
  const connect = buildConnector({ allowH2: false, timeout: connectTimeoutMs, lookup });

  return (options, done) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // Nothing is looked up for an address.
    if (isIP(host) !== 0 && !isAllowed(host)) return done(new ForbiddenAddress(), null);
    return connect(options, (error, socket) => {
      if (error) return done(error, null);
      if (socket && isAllowed(remoteAddress(socket))) {
        closeWhenFlooded(socket);
        return done(null, socket);
      }
      socket?.destroy();
      return done(new ForbiddenAddress(), null);
    });
  };
}

/** Whoever sends without end would keep the process from those that it sends to beside it. */
function closeWhenFlooded(socket: Socket): void {
  let before = 0;
  const timer = setInterval(() => {
    if (socket.bytesRead - before > maxBytesPerTurn) socket.destroy();
    before = socket.bytesRead;
  }, turnMs);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
}

const remoteAddress = (socket: Socket | null): string => socket?.remoteAddress ?? '';

const sentences: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'The host name could not be resolved.',
  ENOTFOUND: 'The host name could not be resolved.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was reset.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  EPIPE: 'The connection was reset.',
  ETIMEDOUT: 'No connection was made in time.',
  UND_ERR_CONNECT_TIMEOUT: 'No connection was made in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The response has too many headers.',
  UND_ERR_SOCKET: 'The connection was closed before a response.',
};

/** Why there was no response, for the webhook's owner: a sentence without addresses. */
function failureText(error: unknown): string {
  if (error instanceof ForbiddenAddress) return 'The host has an address that is not public.';
  const code = codeOf(error);
  const known = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  if (known !== undefined) return known;
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code)) return `TLS failed: ${code}.`;
  if (error instanceof Error && error.name === 'HTTPParserError') return 'The response is not valid HTTP.';
  return 'The request failed.';
}

/** Of several addresses that were tried, the first one's. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && !hasCode(error)) return codeOf(error.errors[0]);
  return hasCode(error) ? error.code : '';
}

const hasCode = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';
