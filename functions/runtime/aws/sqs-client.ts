import { SQSClient } from '@aws-sdk/client-sqs';
import { connectionTimeout } from './timeouts.ts';

export function sqsClient(): SQSClient {
  const requestHandler = { connectionTimeout, requestTimeout: 10_000, throwOnRequestTimeout: true };
  return new SQSClient({ maxAttempts: 3, requestHandler });
}
