import type { DynamoDBDocumentClient, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { itemOf, type Projection } from '#repositories/shared/item-reader.ts';
import type { AwsService } from '../aws/aws-service.ts';
import type { TransportOptions } from './attempt.ts';
import { dynamodbRequest } from './dynamodb-request.ts';
import { bodyOf, signedTransport } from './signed-transport.ts';

/** An item is at most 400 KB; JSON escapes some bytes to several characters. */
const maxItemBytes = 4 * 1024 * 1024;

type Item = Record<string, unknown>;

interface Settings extends TransportOptions {
  readonly projection: Projection;
}

/**
 * Sends a first attempt without the SDK's middleware. Passes any result except 200 to the SDK. Resolves after the
 * write with a reader of the updated item.
 */
export function quickUpdate(
  service: AwsService,
  loadClient: () => Promise<DynamoDBDocumentClient>,
  { projection, ...options }: Settings,
) {
  const prepare = signedTransport(service, options);

  return async (input: UpdateCommandInput): Promise<() => Item | undefined> => {
    const body = await bodyOf(await prepare(dynamodbRequest('UpdateItem', input))(), maxItemBytes);
    if (typeof body === 'string') return () => itemOf(body, projection);
    const [client, { updateAfter }] = await Promise.all([loadClient(), import('./first-result.ts')]);
    const update = updateAfter(body, client);
    return update(input).finally(() => {
      service.clockOffset = client.config.systemClockOffset;
    });
  };
}
