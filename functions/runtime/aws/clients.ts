import http from 'node:http';
import https from 'node:https';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { collectBody } from '#gateways/bounded-body.ts';
import { withConflictRetries } from '#repositories/shared/conflicts.ts';
import { perEnvironment } from '../process.ts';
import { connectionTimeout, dynamoTimeout } from './timeouts.ts';

/** The largest plan's limit of concurrent calls, so that no call in a local process waits for a connection. */
const sockets = { keepAlive: true, maxSockets: 1000 };
const agents = { httpAgent: new http.Agent(sockets), httpsAgent: new https.Agent(sockets) };

/** Without `throwOnRequestTimeout` the SDK only logs a timeout. Transaction conflicts are retried more often. */
export const dynamoClient = perEnvironment(() => {
  const client = new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout, requestTimeout: dynamoTimeout, throwOnRequestTimeout: true, ...agents },
  });
  return DynamoDBDocumentClient.from(withConflictRetries(client), { marshallOptions: { removeUndefinedValues: true } });
});

/** Upper bound for every model response in bytes. Each call has a tighter limit of its own. */
const maxModelBytes = 16 * 1024 * 1024;

/** One attempt: a retry would repeat the generation. Deadlines are set per call. */
export function sagemakerClient(): SageMakerRuntimeClient {
  const streamCollector = (body: AsyncIterable<Uint8Array>) => collectBody(body, maxModelBytes);
  return new SageMakerRuntimeClient({
    maxAttempts: 1,
    streamCollector,
    requestHandler: { connectionTimeout, ...agents },
  });
}
