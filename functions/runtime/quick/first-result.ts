import { Readable } from 'node:stream';
import type { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { boundedBody } from '#gateways/bounded-body.ts';
import { sdkRuntime } from '#gateways/sagemaker/sdk-runtime.ts';
import { sdkUpdate } from '#repositories/meter/sdk-update.ts';
import type { AttemptResult } from './attempt.ts';

type Result = AttemptResult | undefined;

export const updateAfter = (result: Result, client: DynamoDBDocumentClient) =>
  sdkUpdate(client, (command) => addFirstResult(command, result));

export const runtimeAfter = (result: Result, client: SageMakerRuntimeClient) =>
  sdkRuntime(client, (command) => addFirstResult(command, result));

/** An SDK middleware that runs last before the network. */
type Middleware = <Args, Output>(
  next: (args: Args) => Promise<Output>,
) => (args: Args) => Promise<Output | { response: unknown }>;

interface Command {
  readonly middlewareStack: {
    add(middleware: Middleware, options: { step: 'deserialize'; priority: 'low'; name: string; override: true }): void;
  };
}

/** Makes the SDK treat `result` as the command's first attempt and decide about retries. */
export function addFirstResult({ middlewareStack }: Command, result: Result): void {
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
}

/** Maximum bytes of a response that the SDK reads: an error, or the unread rest of a response. */
const maxErrorBytes = 1024 * 1024;

function sdkResponse({ response, body = response }: Extract<AttemptResult, { response: unknown }>): HttpResponse {
  const headers = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return new HttpResponse({
    statusCode: response.status,
    headers: Object.fromEntries(headers),
    body: Readable.from(boundedBody(body, maxErrorBytes)),
  });
}
