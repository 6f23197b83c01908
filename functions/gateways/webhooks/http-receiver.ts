import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { AttemptResult } from '#domain/webhooks/delivery.ts';
import type { Targets } from '#domain/webhooks/target.ts';
import type { Receiver } from '#domain/webhooks/worker.ts';
import { failureText } from './failure-text.ts';
import { guardedConnector, type Resolve } from './guarded-connector.ts';

/** A request may take so long to the end of its response. */
const attemptMs = 15_000;
/** Bytes of a response that are read, after which its connection is closed, and that are kept. */
const maxReadBytes = 64 * 1024;
const maxKeptBytes = 4 * 1024;
const maxConnections = 10;

const fixedHeaders = { 'content-type': 'application/json', 'user-agent': 'text-ai-webhooks/1' };

export interface ReceiverSettings {
  readonly targets: Targets;
  /** Default: by the system. */
  readonly resolve?: Resolve;
  /** Default: 15 s. */
  readonly timeoutMs?: number;
}

/** Sends to a URL over HTTP/1.1, to addresses that webhooks may be at only, and follows no redirect. */
export function httpReceiver(text: string, { targets, resolve, timeoutMs = attemptMs }: ReceiverSettings): Receiver {
  const url = new URL(text);
  const pool = new Pool(url.origin, {
    connections: maxConnections,
    pipelining: 1,
    connect: guardedConnector(targets, resolve),
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
