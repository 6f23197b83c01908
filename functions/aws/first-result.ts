import { Readable } from 'node:stream';
import { HttpResponse } from '@smithy/core/protocols';
import { boundedBody } from './bounded-body.ts';
import type { AttemptResult } from './transport.ts';

/** An SDK middleware for any command. */
type Middleware = <Args, Output>(
  next: (args: Args) => Promise<Output>,
) => (args: Args) => Promise<Output | { response: unknown }>;

interface Command {
  readonly middlewareStack: {
    add(middleware: Middleware, options: { step: 'deserialize'; priority: 'low'; name: string; override: true }): void;
  };
}

/** Changes a command before the SDK sends it. */
export type AdaptCommand = (command: Command) => void;

/**
 * Passes a result to the SDK as that of a command's first attempt. The SDK then decides which error it is, and whether
 * and when to retry. Does nothing if no attempt was made.
 */
export const firstResult =
  (result: AttemptResult | undefined): AdaptCommand =>
  ({ middlewareStack }) => {
    if (!result) return;
    const resultFirst: Middleware = (next) => {
      let isFirst = true;
      return async (args) => {
        if (!isFirst) return next(args);
        isFirst = false;
        if ('error' in result) throw result.error;
        return { response: sdkResponse(result) };
      };
    };
    middlewareStack.add(resultFirst, { step: 'deserialize', priority: 'low', name: 'firstResult', override: true });
  };

/** Limit for the part of a response that the SDK reads: an error, or the rest of a partly read response. */
const maxErrorBytes = 1024 * 1024;

function sdkResponse({ response, body = response }: Extract<AttemptResult, { response: unknown }>): HttpResponse {
  const headers = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return new HttpResponse({
    statusCode: response.status,
    headers: Object.fromEntries(headers),
    body: Readable.from(boundedBody(body, maxErrorBytes)),
  });
}
