import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import * as v from 'valibot';
import type { CallContext, ResponseLifecycle } from '#middleware/call.ts';
import type { CallResponse } from '#middleware/envelope.ts';
import type { EventStream } from '#middleware/event-stream.ts';
import { typed } from './process.ts';

type Handle = (event: APIGatewayProxyEvent, context: CallContext) => Promise<unknown>;

const responseOf = async (handle: Handle, event: APIGatewayProxyEvent, context: Context): Promise<CallResponse> =>
  typed(await handle(event, typed(context)));

export function bufferedHandler(handle: Handle) {
  return async (event: APIGatewayProxyEvent, context: Context) => {
    const { lifecycle, ...response } = await responseOf(handle, event, context);
    await lifecycle.settle();
    await lifecycle.close();
    return response;
  };
}

/** Writes directly: Middy's streaming mode adds about 10% to the duration of a call. */
export function streamedHandler(handle: Handle) {
  return awslambda.streamifyResponse(async (event: APIGatewayProxyEvent, stream, context) => {
    const leave = () => typed<Partial<CallContext>>(context).call?.response.leave();
    stream.once('close', leave);
    const { body, lifecycle, ...head } = await responseOf(handle, event, context);
    stream.off('close', leave);
    try {
      const response = awslambda.HttpResponseStream.from(stream, head);
      // A client disconnect is not an error, and the work that follows the response must still run.
      response.on('error', () => undefined);
      await (typeof body === 'string' ? sendWhole(response, body, lifecycle) : sendPieces(response, body));
    } finally {
      await lifecycle.close();
    }
  });
}

/** Lambda freezes the process when the handler resolves, so this awaits the whole body. */
async function sendPieces(
  response: awslambda.HttpResponseStream,
  { pieces, disconnect: leave }: EventStream,
): Promise<void> {
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

const ended = (response: awslambda.HttpResponseStream): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed) resolve();
    else response.once('close', resolve).end(resolve);
  });

const LambdaGlobal = v.object({ streamifyResponse: v.function() });

/** Checks the function, because the AWS SDK creates an `awslambda` object too. */
export function canStream(): boolean {
  return v.is(LambdaGlobal, Reflect.get(globalThis, 'awslambda'));
}
