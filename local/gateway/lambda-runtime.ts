import type { ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';
import { ResponseStream } from './response-stream.ts';

/** A handler as a module exports it; one that streams also gets the stream to write to. */
export type LambdaHandler = (...parameters: unknown[]) => unknown;

/** What a function is run with: its name and the time it has. */
export interface LambdaFunction {
  readonly id: string;
  readonly timeoutSeconds: number;
}

const streaming = new WeakSet<LambdaHandler>();

export const isStreaming = (handler: LambdaHandler): boolean => streaming.has(handler);

/**
 * Puts the global `awslambda` in place, which the Node.js runtime of Lambda has and Middy's streaming mode uses
 * (AWS "Writing response streaming-enabled Lambda functions"). To be called before a handler is imported.
 */
export function installLambdaRuntime(): void {
  Reflect.set(globalThis, 'awslambda', { streamifyResponse, HttpResponseStream: { from: withHead } });
}

function streamifyResponse(handler: LambdaHandler): LambdaHandler {
  streaming.add(handler);
  return handler;
}

function withHead(stream: unknown, metadata: unknown): ServerResponse {
  if (!(stream instanceof ResponseStream)) throw new TypeError('HttpResponseStream.from needs the stream of the event');
  return stream.withHead(metadata);
}

/** The context of one invocation (AWS "Using the Lambda context object"). */
export function lambdaContext({ id, timeoutSeconds }: LambdaFunction, awsRequestId: string): Context {
  const deadline = performance.now() + timeoutSeconds * 1000;
  return {
    awsRequestId,
    callbackWaitsForEmptyEventLoop: false,
    functionName: id,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${id}`,
    logGroupName: `/aws/lambda/${id}`,
    logStreamName: 'local',
    memoryLimitInMB: '1024',
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}

/** Thrown when a function has used up its time; what it still does is ignored. */
export class FunctionTimeout extends Error {
  constructor({ id, timeoutSeconds }: LambdaFunction) {
    super(`${id} did not end within ${timeoutSeconds} s`);
    this.name = 'FunctionTimeout';
  }
}

/** The work's result, or FunctionTimeout when the function's time is over before it is there. */
export async function withinTime<T>(lambda: LambdaFunction, work: () => T | Promise<T>): Promise<T> {
  const { promise: timeIsUp, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new FunctionTimeout(lambda)), lambda.timeoutSeconds * 1000);
  try {
    return await Promise.race([work(), timeIsUp]);
  } finally {
    clearTimeout(timer);
  }
}
