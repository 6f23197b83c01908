import { lookup as systemLookup } from 'node:dns/promises';
import { type LookupFunction, type Socket, isIP } from 'node:net';
import type { Dispatcher, buildConnector as Connector } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { AttemptResult } from '#domain/webhooks/delivery.ts';
import type { Receiver } from '#domain/webhooks/worker.ts';

/** Timeout of a request in ms, to the end of its response. */
const attemptMs = 15_000;
/** Bytes of a response that are read before the connection is closed, and bytes that are stored. */
const maxReadBytes = 64 * 1024;
const maxKeptBytes = 4 * 1024;
const maxConnections = 10;

const fixedHeaders = { 'content-type': 'application/json', 'user-agent': 'text-ai-webhooks/1' };

export interface ReceiverSettings {
  /** Whether connections to an address are allowed. */
  readonly isAllowed: (address: string) => boolean;
  /** Default: the system's DNS lookup. */
  readonly resolve?: Resolve;
  /** Default: 15 s. */
  readonly timeoutMs?: number;
}

/** Sends to a URL over HTTP/1.1, only to addresses that are allowed for webhooks. Does not follow redirects. */
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
    // Pending requests have been aborted.
    close: () => void pool.destroy().catch(() => undefined),
  };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Sends one request and reads the relevant part of its response. */
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

  /** A response with a status counts even if its body is truncated. */
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

/** Decodes any body as text, and drops a truncated last character. */
const textOf = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true });

/** Seconds, or a date (RFC 9110, 10.2.3). */
function retryAfter(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  // Every valid date format starts with a day of the week; `Date` accepts more.
  const at = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** The host has an address that is not allowed for webhooks. */
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

/** All addresses of a host name. */
type Resolve = (name: string) => Promise<readonly Address[]>;

const resolveBySystem: Resolve = (name) => systemLookup(name, { all: true });

const connectTimeoutMs = 5000;

/**
 * Maximum bytes in `turnMs`, above any legitimate response. Bounds data that HTTP does not count as a response, such as
 * 1xx responses and chunk extensions.
 */
const maxBytesPerTurn = 256 * 1024;
const turnMs = 100;

/**
 * Connects only to addresses that are allowed for webhooks. Checks the addresses within the connection's own lookup, so
 * that DNS cannot change in between, and checks the connected address again.
 */
function guardedConnector(
  isAllowed: ReceiverSettings['isAllowed'],
  resolve: Resolve = resolveBySystem,
): Connector.connector {
  const lookup: LookupFunction = (name, options, done) => {
    void resolve(name).then(
      (found) => {
        const [first] = found;
        // A name with both public and private addresses is not an accident.
        if (!first || !found.every(({ address }) => isAllowed(address))) return done(new ForbiddenAddress(), '', 0);
        return options.all ? done(null, [...found]) : done(null, first.address, first.family);
      },
      (error: unknown) => done(error instanceof Error ? error : new Error('the name could not be resolved'), '', 0),
    );
  };
  const connect = buildConnector({ allowH2: false, timeout: connectTimeoutMs, lookup });

  return (options, done) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // IP addresses need no lookup.
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

/** A receiver that sends endlessly would keep the process from its other requests. */
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

/** Explains to the webhook's owner why there was no response: a sentence without addresses. */
function failureText(error: unknown): string {
  if (error instanceof ForbiddenAddress) return 'The host has an address that is not public.';
  const code = codeOf(error);
  const known = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  if (known !== undefined) return known;
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code)) return `TLS failed: ${code}.`;
  if (error instanceof Error && error.name === 'HTTPParserError') return 'The response is not valid HTTP.';
  return 'The request failed.';
}

/** The first error if several addresses were tried. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && !hasCode(error)) return codeOf(error.errors[0]);
  return hasCode(error) ? error.code : '';
}

const hasCode = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';
