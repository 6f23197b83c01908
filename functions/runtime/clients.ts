import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { SESClient } from '@aws-sdk/client-ses';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Where one process serves many calls, none waits for another's connection: as many as the largest plan's calls in flight.
 */
const sockets = { keepAlive: true, maxSockets: 1000 };

/**
 * Milliseconds to open a connection. AWS takes a few; the rest is for a laptop whose one process has hundreds to open while it
 * is kept busy, and looks at its timers before it looks at what has come.
 */
const connectionTimeout = 3000;

/**
 * DynamoDB answers within milliseconds, so a silent connection is given up early (the SDK only warns of it, unless told to
 * throw); three attempts in all (reference: reliability F3).
 */
export function dynamoClient(): DynamoDBDocumentClient {
  const timeouts = { connectionTimeout, requestTimeout: 5000, throwOnRequestTimeout: true };
  const client = new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { ...timeouts, httpAgent: sockets, httpsAgent: sockets },
  });
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

export function sesClient(): SESClient {
  const requestHandler = { connectionTimeout, requestTimeout: 10_000, throwOnRequestTimeout: true };
  return new SESClient({ maxAttempts: 3, requestHandler });
}

/** One attempt: a repeated invocation repeats the model's work, and the caller is told when trying again helps. */
export function sagemakerClient(): SageMakerRuntimeClient {
  const requestHandler = { connectionTimeout, httpAgent: sockets, httpsAgent: sockets };
  return new SageMakerRuntimeClient({ maxAttempts: 1, requestHandler });
}
