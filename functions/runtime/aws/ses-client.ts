import { SESClient } from '@aws-sdk/client-ses';
import { connectionTimeout } from './timeouts.ts';

export function sesClient(): SESClient {
  const requestHandler = { connectionTimeout, requestTimeout: 10_000, throwOnRequestTimeout: true };
  return new SESClient({ maxAttempts: 3, requestHandler });
}
