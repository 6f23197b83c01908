import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { EventStream } from '#middleware/event-stream.ts';

/** An answer as the envelope makes it, in one piece or in several. */
export interface Reply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | EventStream;
  /** Runs when a body in one piece has left, before the answer ends. */
  readonly afterBody?: () => Promise<void>;
  /** Runs when the answer has ended, or could not be sent to its end. */
  readonly afterEnd?: () => void;
}

/**
 * A handler that sends its answer while it makes it. It is written as it is: through streams of its own, as Middy's streaming
 * mode has it, an answer in one piece costs a tenth of the whole call more.
 */
export function streamedHandler(handle: (event: APIGatewayProxyEvent, context: Context) => Promise<Reply>) {
  return awslambda.streamifyResponse(async (event: APIGatewayProxyEvent, stream, context) => {
    const { body, afterBody, afterEnd, ...head } = await handle(event, context);
    const answer = awslambda.HttpResponseStream.from(stream, head);
    // A client that has gone is no failure of ours, and what comes after the body is to be done in any case.
    answer.on('error', () => undefined);
    try {
      await (typeof body === 'string' ? sendWhole(answer, body, afterBody) : sendPieces(answer, body));
    } finally {
      afterEnd?.();
    }
  });
}

/** Lambda stops the process as soon as its handler is done, so that waits until the body is. */
async function sendPieces(answer: awslambda.HttpResponseStream, { pieces, leave }: EventStream): Promise<void> {
  answer.once('close', () => void leave());
  try {
    // A piece that is asked for counts as delivered.
    if (answer.destroyed) return;
    for await (const piece of pieces) {
      if (!answer.write(piece)) await hasRoom(answer);
      if (answer.destroyed) return;
    }
    await ended(answer);
  } finally {
    await leave();
  }
}

/** Resolves when an answer takes more, or is closed and never will. */
async function hasRoom(answer: awslambda.HttpResponseStream): Promise<void> {
  if (answer.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  answer.once('drain', resolve).once('close', resolve);
  await promise;
  answer.off('drain', resolve).off('close', resolve);
}

async function sendWhole(
  answer: awslambda.HttpResponseStream,
  body: string,
  afterBody: Reply['afterBody'],
): Promise<void> {
  answer.write(body);
  await afterBody?.();
  await ended(answer);
}

/** Resolves when all of an answer has left, or never will. */
const ended = (answer: awslambda.HttpResponseStream): Promise<void> =>
  new Promise((resolve) => {
    if (answer.destroyed) resolve();
    else answer.once('close', resolve).end(resolve);
  });
