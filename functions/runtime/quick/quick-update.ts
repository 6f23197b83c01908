import type { DynamoDBDocumentClient, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { itemOf, type Wanted } from '#repositories/shared/item-reader.ts';
import type { AwsService } from '../aws/aws-service.ts';
import type { TransportOptions } from './attempt.ts';
import { dynamodbRequest } from './dynamodb-request.ts';
import { bodyOf, signedTransport } from './signed-transport.ts';

/** An item has 400 KB at most, and JSON needs several bytes for some of them. */
const maxItemBytes = 4 * 1024 * 1024;

type Item = Record<string, unknown>;

interface Settings extends TransportOptions {
  /** What is read of the item, which may have no sets and no binary attributes. */
  readonly wanted: Wanted;
}

/**
 * UpdateItem whose first attempt goes past the SDK's middleware. Only a response of 200 is taken as it is; everything else is
 * handed to the SDK as the result of its first attempt. Resolves when the write is done, with what reads the item that it
 * left: of a response of 200 what is `wanted`, of the SDK's the whole.
 */
export function quickUpdate(
  service: AwsService,
  loadClient: () => Promise<DynamoDBDocumentClient>,
  { wanted, ...options }: Settings,
) {
  const prepare = signedTransport(service, options);

  return async (input: UpdateCommandInput): Promise<() => Item | undefined> => {
    const body = await bodyOf(await prepare(dynamodbRequest('UpdateItem', input))(), maxItemBytes);
    if (typeof body === 'string') return () => itemOf(body, wanted);
    const [client, { updateAfter }] = await Promise.all([loadClient(), import('./first-result.ts')]);
    const update = updateAfter(body, client);
    return update(input).finally(() => {
      service.clockOffset = client.config.systemClockOffset;
    });
  };
}
