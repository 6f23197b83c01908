import { Readable } from 'node:stream';
import { HttpResponse } from '@smithy/core/protocols';
import { boundedBody } from '#gateways/bounded-body.ts';
import type { Answer } from './answer.ts';
import type { Connections } from './connection.ts';

/** Milliseconds that an answer's head may take; undefined for no limit. */
export interface Wire {
  readonly requestTimeout?: number;
}

/** Ends the attempt when it is over. */
export interface Wait {
  readonly isOver: boolean;
  onEnd: (() => void) | undefined;
}

/** What became of one attempt: an answer, of whatever status, or why there is none. `body` is what is left of one begun. */
export type Outcome =
  | { readonly reply: Answer; readonly body?: AsyncIterable<Uint8Array> }
  | { readonly error: unknown };

/** Sends a whole request, head and body, once. Its errors have the names by which the SDK knows what may be tried again. */
export function attempt(
  connections: Connections,
  request: string,
  { requestTimeout }: Wire,
  wait?: Wait,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  if (wait?.isOver) return Promise.resolve({ error: named('AbortError', givenUp) });
  const connection = connections.take();
  let timer: NodeJS.Timeout | undefined;
  const giveUp = (): void => connection.close(named('AbortError', givenUp));
  if (wait) wait.onEnd = giveUp;
  connection.send(request, {
    onAnswer(reply) {
      clearTimeout(timer);
      resolve({ reply });
    },
    onError: (error) => resolve({ error: isBroken(error) ? Object.assign(error, { name: 'TimeoutError' }) : error }),
    onEnd() {
      clearTimeout(timer);
      if (wait) wait.onEnd = undefined;
    },
  });
  if (requestTimeout !== undefined) {
    const overdue = (): void => connection.close(named('TimeoutError', `no answer within ${requestTimeout} ms`));
    timer = setTimeout(overdue, requestTimeout);
  }
  return promise;
}

const givenUp = 'the request was given up';
const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

/** A connection that broke is to the SDK what a silent one is. */
const isBroken = (error: Error): boolean =>
  'code' in error && ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(String(error.code));

/** Bytes of an answer that the SDK reads: an error, or what is left of one that was not to be read any further. */
const maxErrorBytes = 1024 * 1024;

/** An answer in the SDK's form. */
export function responseOf({ reply, body = reply }: Extract<Outcome, { reply: unknown }>): HttpResponse {
  const { status, headers } = reply.head;
  const bounded = Readable.from(boundedBody(body, maxErrorBytes));
  return new HttpResponse({ statusCode: status, headers: Object.fromEntries(headers), body: bounded });
}
