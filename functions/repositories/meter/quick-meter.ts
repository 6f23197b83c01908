import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { itemOf, outputOf } from '#aws/attributes.ts';
import { dynamoSender } from '#aws/first-attempt.ts';
import type { AwsService } from '#aws/service.ts';
import type { TransportOptions } from '#aws/transport.ts';
import type { MeterAccess } from './meter-calls.ts';

interface Settings extends TransportOptions {
  /** Attributes to read from an updated item: without sets and binaries. */
  readonly projection: Pick<ReadonlySet<string>, 'has'>;
}

/**
 * Requests whose first attempt bypasses the SDK's middleware (docs/adr/0008-quick-first-attempt.md). An update returns
 * only the `projection` attributes, or all if the SDK had to send it.
 */
export function quickMeter(
  service: AwsService,
  loadClient: () => Promise<DynamoDBDocumentClient>,
  { projection, ...options }: Settings,
): MeterAccess {
  const send = dynamoSender(service, loadClient, options);
  const loadSdk = () => import('./sdk-meter.ts');
  return {
    update: (input) =>
      send('UpdateItem', input, {
        read: (body) => () => itemOf(body, projection),
        viaSdk: async (client, adapt) => (await loadSdk()).sdkMeter(client, adapt).update(input),
      }),
    read: (input) =>
      send('GetItem', input, {
        read: (body) => outputOf(body).Item,
        viaSdk: async (client, adapt) => (await loadSdk()).sdkMeter(client, adapt).read(input),
      }),
  };
}
