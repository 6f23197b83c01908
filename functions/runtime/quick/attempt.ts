import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { HttpResponse } from '@smithy/core/protocols';

/** The connections that an SDK client uses too, and how long an answer's head may take: milliseconds, or no limit. */
export interface Wire {
  readonly httpAgent: http.Agent;
  readonly httpsAgent: https.Agent;
  readonly requestTimeout?: number;
}

/** A POST; headers in small letters. */
export interface Post {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What became of one attempt: an answer, of whatever status, or why there is none. `body` is what is left of one begun. */
export type Outcome =
  | { readonly reply: IncomingMessage; readonly body?: AsyncIterable<Uint8Array> }
  | { readonly error: unknown };

/** Sends a request once. Its errors have the names by which the SDK knows what may be tried again. */
export function attempt(url: URL, post: Post, wire: Wire, abortSignal?: AbortSignal): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const isTls = url.protocol === 'https:';
  const request = (isTls ? https : http).request({
    agent: isTls ? wire.httpsAgent : wire.httpAgent,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    method: 'POST',
    path: post.path,
    // As a list they are written once; as an object they are kept, and then written.
    headers: [...Object.entries(post.headers).flat(), 'content-length', String(Buffer.byteLength(post.body))],
  });
  // The request itself is not given the error: its connection may have gone back by then, and would end the process with it.
  const giveUp = (name: string, message: string): void => {
    resolve({ error: Object.assign(new Error(message), { name }) });
    request.destroy();
  };
  const timer =
    wire.requestTimeout &&
    setTimeout(giveUp, wire.requestTimeout, 'TimeoutError', `no answer within ${wire.requestTimeout} ms`);
  const abort = (): void => giveUp('AbortError', 'the request was given up');
  abortSignal?.addEventListener('abort', abort, { once: true });
  request.once('response', (reply) => {
    clearTimeout(timer);
    resolve({ reply });
  });
  request.on('error', (error) =>
    resolve({ error: isBroken(error) ? Object.assign(error, { name: 'TimeoutError' }) : error }),
  );
  request.once('close', () => {
    clearTimeout(timer);
    abortSignal?.removeEventListener('abort', abort);
  });
  if (abortSignal?.aborted) abort();
  request.end(post.body);
  return promise;
}

/** A connection that broke is to the SDK what a silent one is. */
const isBroken = (error: Error): boolean =>
  'code' in error && ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(String(error.code));

/** An answer in the SDK's form. */
export function responseOf({ reply, body = reply }: Extract<Outcome, { reply: unknown }>): HttpResponse {
  const headers = Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]));
  return new HttpResponse({ statusCode: reply.statusCode ?? 0, headers, body });
}
