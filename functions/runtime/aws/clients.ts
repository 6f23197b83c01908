import http from 'node:http';
import https from 'node:https';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { collectBody } from '#gateways/bounded-body.ts';
import { withConflictRetries } from '#repositories/shared/conflicts.ts';
import { perEnvironment } from '../process.ts';
import { connectionTimeout, dynamoTimeout } from './timeouts.ts';

/**
 * Where one process serves many calls, none waits for another's connection: as many as the largest plan's concurrent calls.
 */
const sockets = { keepAlive: true, maxSockets: 1000 };
const agents = { httpAgent: new http.Agent(sockets), httpsAgent: new https.Agent(sockets) };

/**
 * One for all stores, which share its connections. Three attempts in all, and more where a write meets a transaction. The SDK
 * only warns of a silent connection, unless set to throw.
 */
export const dynamoClient = perEnvironment(() => {
  const client = new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout, requestTimeout: dynamoTimeout, throwOnRequestTimeout: true, ...agents },
  });
  return DynamoDBDocumentClient.from(withConflictRetries(client), { marshallOptions: { removeUndefinedValues: true } });
});

/** Of what the SDK reads of a model; each call has a closer bound of its own, when all of it is there. */
const maxModelBytes = 16 * 1024 * 1024;

/** A model's deadline is the caller's. One attempt: a repeated invocation repeats the model's work, and the refusal has the time after which trying again helps. */
export function sagemakerClient(): SageMakerRuntimeClient {
  const streamCollector = (body: AsyncIterable<Uint8Array>) => collectBody(body, maxModelBytes);
  return new SageMakerRuntimeClient({
    maxAttempts: 1,
    streamCollector,
    requestHandler: { connectionTimeout, ...agents },
  });
}
