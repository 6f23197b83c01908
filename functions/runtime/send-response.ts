import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import * as v from 'valibot';
import type { CallContext } from '#middleware/call.ts';
import type { ResponseLifecycle } from '#middleware/call.ts';
import type { EventStream } from '#middleware/event-stream.ts';
import type { CallResponse } from '#middleware/outgoing.ts';
import { typed } from './process.ts';

/** A route's middlewares and its operation, which resolve with a CallResponse. */
type Handle = (event: APIGatewayProxyEvent, context: CallContext) => Promise<unknown>;

/** The request log puts the call into the context, and the envelope makes the response. */
const responseOf = async (handle: Handle, event: APIGatewayProxyEvent, context: Context): Promise<CallResponse> =>
  typed(await handle(event, typed(context)));

/** A handler that returns its response as a whole, once the call is settled. */
export function bufferedHandler(handle: Handle) {
  return async (event: APIGatewayProxyEvent, context: Context) => {
    const { lifecycle, ...response } = await responseOf(handle, event, context);
    await lifecycle.settle();
    lifecycle.close();
    return response;
  };
}

/**
 * A handler that sends its response while it makes it. It is written as it is: through streams of its own, as Middy's streaming
 * mode has it, a whole response costs a tenth of the whole call more.
 */
export function streamedHandler(handle: Handle) {
  return awslambda.streamifyResponse(async (event: APIGatewayProxyEvent, stream, context) => {
    const { body, lifecycle, ...head } = await responseOf(handle, event, context);
    try {
      const response = awslambda.HttpResponseStream.from(stream, head);
      // A client that has gone is no failure of ours, and what comes after the body is to be done in any case.
      response.on('error', () => undefined);
      await (typeof body === 'string' ? sendWhole(response, body, lifecycle) : sendPieces(response, body));
    } finally {
      lifecycle.close();
    }
  });
}

/** Lambda stops the process as soon as its handler is done, so that waits until the body is. */
async function sendPieces(response: awslambda.HttpResponseStream, { pieces, leave }: EventStream): Promise<void> {
  response.once('close', () => void leave());
  try {
    // A piece that is read counts as delivered.
    if (response.destroyed) return;
    for await (const piece of pieces) {
      if (!response.write(piece)) await hasRoom(response);
      if (response.destroyed) return;
    }
    await ended(response);
  } finally {
    await leave();
  }
}

/** Resolves when a response takes more, or is closed and never will. */
async function hasRoom(response: awslambda.HttpResponseStream): Promise<void> {
  if (response.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve).once('close', resolve);
  await promise;
  response.off('drain', resolve).off('close', resolve);
}

async function sendWhole(
  response: awslambda.HttpResponseStream,
  body: string,
  lifecycle: ResponseLifecycle,
): Promise<void> {
  response.write(body);
  await lifecycle.settle();
  await ended(response);
}

/** Resolves when all of a response has left, or never will. */
const ended = (response: awslambda.HttpResponseStream): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed) resolve();
    else response.once('close', resolve).end(resolve);
  });

const LambdaGlobal = v.object({ streamifyResponse: v.function() });

/**
 * Whether this process can stream responses: Lambda's Node.js runtime puts `awslambda.streamifyResponse` in place. The
 * AWS SDK makes an `awslambda` object of its own where there is none, so its presence alone means nothing.
 */
export function canStream(): boolean {
  return v.is(LambdaGlobal, Reflect.get(globalThis, 'awslambda'));
}
