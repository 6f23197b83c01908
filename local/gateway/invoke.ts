import type { ServerResponse } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Refusal } from '#contract/shared/errors.ts';
import { described } from '../shared/problems.ts';
import { sendError, sendReply } from './gateway-response.ts';
import {
  FunctionTimeout,
  isStreaming,
  type LambdaFunction,
  type LambdaHandler,
  lambdaContext,
  withinTime,
} from './lambda-runtime.ts';
import { ResponseStream } from './response-stream.ts';

/** The function behind a route. A priced route waits for a model, so running out of time there is the model's. */
export interface RouteFunction extends LambdaFunction {
  readonly waitsForModel: boolean;
  load(): Promise<LambdaHandler>;
}

/**
 * Runs a route's function and sends its result. Exceeding the time limit is 504 or 503, a throw, an invalid result
 * or one above Lambda's 6 MB 500; once the response has begun, the connection is cut instead, as Lambda does.
 */
export async function invoke(
  lambda: RouteFunction,
  event: APIGatewayProxyEvent,
  response: ServerResponse,
  log: (line: string) => void,
): Promise<void> {
  const { requestId } = event.requestContext;
  try {
    await withinTime(lambda, async () => {
      const handler = await lambda.load();
      const context = lambdaContext(lambda, requestId);
      if (!isStreaming(handler)) return sendReply(response, await handler(event, context));
      await handler(event, new ResponseStream(response), context);
      if (!response.headersSent) throw new Error('the handler ended without a response');
      if (!response.writableEnded) response.end();
    });
  } catch (error) {
    if (response.destroyed) return;
    log(`${lambda.id} failed (request ${requestId}): ${described(error)}`);
    if (response.headersSent) response.destroy();
    else sendError(response, event.path, failure(lambda, error), requestId);
  }
}

function failure(lambda: RouteFunction, error: unknown): Refusal {
  if (!(error instanceof FunctionTimeout))
    return { code: 'INTERNAL_ERROR', detail: 'Something went wrong on our side.' };
  const detail = `The operation exceeded its time limit of ${lambda.timeoutSeconds} s.`;
  return { code: lambda.waitsForModel ? 'MODEL_TIMEOUT' : 'SERVICE_UNAVAILABLE', detail };
}
