import type { ServerResponse } from 'node:http';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import * as v from 'valibot';
import { jobName, type OperationPlace, operationPlace } from '#contract/handlers.ts';
import type { Job } from '#contract/jobs.ts';
import { allRoutes, unknownRouteId } from '#contract/routes.ts';
import type { Refusal } from '#contract/shared/errors.ts';
import { lazy } from '#runtime/process.ts';
import { describeError } from '../shared/problems.ts';
import { ReplyHead, sendError, sendReply, writeHead } from './event.ts';

export type LambdaHandler = (...parameters: unknown[]) => unknown;

export interface LambdaFunction {
  readonly id: string;
  readonly timeoutSeconds: number;
}

const streaming = new WeakSet<LambdaHandler>();

const isStreaming = (handler: LambdaHandler): boolean => streaming.has(handler);

/**
 * Defines the global `awslambda` of Lambda's Node.js runtime, which streamed handlers use (AWS "Writing response
 * streaming-enabled Lambda functions"). Call this before importing a handler.
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

/** Context of one invocation (AWS "Using the Lambda context object"). */
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

/** The function's later result is ignored. */
class FunctionTimeout extends Error {
  constructor({ id, timeoutSeconds }: LambdaFunction) {
    super(`${id} did not end within ${timeoutSeconds} s`);
    this.name = 'FunctionTimeout';
  }
}

export async function withTimeout<T>(lambda: LambdaFunction, work: () => T | Promise<T>): Promise<T> {
  const { promise: timeIsUp, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new FunctionTimeout(lambda)), lambda.timeoutSeconds * 1000);
  try {
    return await Promise.race([work(), timeIsUp]);
  } finally {
    clearTimeout(timer);
  }
}

const Handler = v.custom<LambdaHandler>((value) => typeof value === 'function', 'must be a function');

const built = new Map<string, () => Promise<LambdaHandler>>();

/** Builds a handler on first use. Each build keeps services until the process ends. */
function once(id: string, build: () => Promise<LambdaHandler>): Promise<LambdaHandler> {
  const handler = built.get(id) ?? lazy(build);
  built.set(id, handler);
  return handler();
}

/**
 * Loads a route's handler and builds it like the entry point of its Lambda function. Rejects if the module fails to
 * load.
 */
export function apiHandler(id: string): Promise<LambdaHandler> {
  return once(id, async () =>
    v.parse(Handler, id === unknownRouteId ? await unknownRouteHandler() : await routeHandler(operationPlace(id))),
  );
}

async function unknownRouteHandler() {
  return (await import('#runtime/unknown-route.ts')).unknownRoute(allRoutes);
}

async function routeHandler({ file, name, route }: OperationPlace) {
  const { [name]: operation } = await import(/* @vite-ignore */ `#api/${file}.ts`);
  if (operation === undefined) throw new Error(`functions/api/${file}.ts does not export ${name}`);
  if (route.priced) return (await import('#runtime/priced-endpoint.ts')).pricedEndpoint(route, operation);
  return (await import('#runtime/endpoint.ts')).endpoint(route, operation);
}

export function jobHandler({ feature, id }: Pick<Job, 'id' | 'feature'>): Promise<LambdaHandler> {
  return once(id, async () => {
    const { [jobName(id)]: build } = await import(/* @vite-ignore */ `#jobs/${feature}.ts`);
    return v.parse(Handler, build());
  });
}

/** `waitsForModel`: a timeout is reported as that of the model. */
export interface RouteFunction extends LambdaFunction {
  readonly waitsForModel: boolean;
  load(): Promise<LambdaHandler>;
}

/**
 * Runs a route's function and sends its result. A timeout is a 504 for priced routes and a 503 for others. A thrown
 * error, an invalid result and one above Lambda's 6 MB limit are a 500. If the response has begun, the connection is
 * closed instead, as on Lambda.
 */
export async function invoke(
  lambda: RouteFunction,
  event: APIGatewayProxyEvent,
  response: ServerResponse,
  log: (line: string) => void,
): Promise<void> {
  const { requestId } = event.requestContext;
  try {
    await withTimeout(lambda, async () => {
      const handler = await lambda.load();
      const context = lambdaContext(lambda, requestId);
      if (!isStreaming(handler)) return sendReply(response, await handler(event, context));
      await handler(event, new ResponseStream(response), context);
      if (!response.headersSent) throw new Error('the handler ended without a response');
      if (!response.writableEnded) response.end();
    });
  } catch (error) {
    if (response.destroyed) return;
    log(`${lambda.id} failed (request ${requestId}): ${describeError(error)}`);
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

/**
 * The response stream of a handler. Once its status and headers are known, it is the HTTP response itself: chunks are
 * sent immediately, with backpressure, and a disconnect closes it.
 */
class ResponseStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  once(event: 'close', listener: () => void): void {
    this.#response.once(event, listener);
  }

  off(event: 'close', listener: () => void): void {
    this.#response.off(event, listener);
  }

  /** The head is sent with the first bytes in one packet, or alone after an empty chunk. */
  withHead(metadata: unknown): ServerResponse {
    writeHead(this.#response, v.parse(ReplyHead, metadata));
    // The writing pipeline handles the error. Without a listener it would end the process.
    return this.#response.on('error', () => undefined);
  }
}
