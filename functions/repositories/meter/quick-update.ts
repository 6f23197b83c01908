import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { itemOf } from '#aws/attributes.ts';
import { dynamoSender } from '#aws/first-attempt.ts';
import type { AwsService } from '#aws/service.ts';
import type { TransportOptions } from '#aws/transport.ts';
import type { Update } from './meter-calls.ts';

interface Settings extends TransportOptions {
  /** Attributes to read from the updated item: without sets and binaries. */
  readonly projection: Pick<ReadonlySet<string>, 'has'>;
}

/**
 * UpdateItem whose first attempt bypasses the SDK's middleware (docs/adr/0008-quick-first-attempt.md). Resolves after the write to a
 * function that reads the updated item: the `projection` attributes, or all if the SDK had to send it.
 */
export function quickUpdate(
  service: AwsService,
  loadClient: () => Promise<DynamoDBDocumentClient>,
  { projection, ...options }: Settings,
): Update {
  const send = dynamoSender(service, loadClient, options);
  return (input) =>
    send('UpdateItem', input, {
      read: (body) => () => itemOf(body, projection),
      async viaSdk(client, adapt) {
        const { sdkUpdate } = await import('./sdk-update.ts');
        return sdkUpdate(client, adapt)(input);
      },
    });
}
