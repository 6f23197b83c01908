import type { DynamoDBDocumentClient, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { attributesOf } from '#repositories/shared/attributes.ts';
import { itemOf, type Wanted } from '#repositories/shared/item-reader.ts';
import type { AwsService } from '../aws/aws-service.ts';
import type { TransportOptions } from './attempt.ts';
import { bodyOf, signedTransport } from './signed-transport.ts';

const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.UpdateItem',
};

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
    const result = await prepare({ path: '/', headers, body: JSON.stringify(marshalled(input)) })();
    const body = await bodyOf(result, maxItemBytes);
    if (typeof body === 'string') return () => itemOf(body, wanted);
    const [client, { updateAfter }] = await Promise.all([loadClient(), import('./first-result.ts')]);
    return updateAfter(
      body,
      client,
    )(input).finally(() => {
      service.clockOffset = client.config.systemClockOffset;
    });
  };
}

function marshalled(input: UpdateCommandInput) {
  const { Key, ExpressionAttributeValues: values } = input;
  return {
    ...input,
    Key: Key && attributesOf(Key),
    ExpressionAttributeValues: values && attributesOf(values),
  };
}
