import http from 'node:http';
import https from 'node:https';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { collectBody } from './bounded-body.ts';
import { withConflictRetries } from './conflicts.ts';
import { connectionTimeout, dynamoTimeout, limitedTo } from './timeouts.ts';

/** Equal to the largest plan's concurrent calls, so that no call waits for another call's connection. */
const sockets = { keepAlive: true, maxSockets: 1000 };
const agents = { httpAgent: new http.Agent(sockets), httpsAgent: new https.Agent(sockets) };

/** Three attempts, and more for a write that conflicts with a transaction. */
export function newDynamoClient(): DynamoDBDocumentClient {
  const client = new DynamoDBClient({ maxAttempts: 3, requestHandler: { ...limitedTo(dynamoTimeout), ...agents } });
  return DynamoDBDocumentClient.from(withConflictRetries(client), { marshallOptions: { removeUndefinedValues: true } });
}

const collectUpTo = (maxBytes: number) => (body: AsyncIterable<Uint8Array>) => collectBody(body, maxBytes);

/** Limit for a whole response of a model. Each call has a lower one, checked at the end. */
const maxModelBytes = 16 * 1024 * 1024;

/**
 * No request timeout, because the caller sets the deadline. One attempt, because a retry would repeat the model's work,
 * and the error tells the caller when to retry.
 */
export function sagemakerClient(): SageMakerRuntimeClient {
  return new SageMakerRuntimeClient({
    maxAttempts: 1,
    streamCollector: collectUpTo(maxModelBytes),
    requestHandler: { connectionTimeout, ...agents },
  });
}

/**
 * Settings of clients that only some functions use. Their gateways create them, so that other functions do not load
 * them.
 */
export const sesSettings = { maxAttempts: 3, requestHandler: limitedTo(10_000) };
export const sqsSettings = { maxAttempts: 3, requestHandler: limitedTo(10_000) };

/** Limit for a response: an id or an error. */
const maxMessagingBytes = 65_536;

/**
 * One attempt, because a retried message arrives twice. A new connection for each message: if one broke while the
 * function was frozen, it would be unknown whether the message was sent.
 */
export const messagingSettings = ({ httpAgent = new http.Agent({ keepAlive: false }) } = {}) => ({
  maxAttempts: 1,
  streamCollector: collectUpTo(maxMessagingBytes),
  requestHandler: { connectionTimeout, httpAgent, httpsAgent: new https.Agent({ keepAlive: false }) },
});
