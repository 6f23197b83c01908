import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { getEndpointFromInstructions } from '@smithy/core/endpoints';
import type { Wire } from './attempt.ts';
import { attributesOf } from './attributes.ts';
import { withFirstOutcome } from './first-outcome.ts';
import { itemOf } from './item-reader.ts';
import { bodyOf } from './read-body.ts';
import { signedTransport } from './signed-transport.ts';

const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.UpdateItem',
};

type Item = Record<string, unknown>;

/**
 * UpdateItem whose first attempt goes past the SDK's middleware. Only an answer of 200 is taken as it is; everything else is
 * handed to the SDK as the outcome of its first attempt. Resolves when the write is done, with what reads the item that it
 * left. Items may have no sets and no binary attributes; of one in an answer of 200, the attributes named in `dictionaries` are a
 * `Map` instead of an object.
 */
export function quickUpdate(client: DynamoDBDocumentClient, wire: Wire, dictionaries: ReadonlySet<string>) {
  const endpoint = async () => (await getEndpointFromInstructions({}, UpdateItemCommand, client.config)).url;
  const transport = signedTransport(client.config, wire, endpoint);

  return async (input: UpdateCommandInput): Promise<() => Item | undefined> => {
    const outcome = await transport({ path: '/', headers, body: JSON.stringify(marshalled(input)) })();
    const told = outcome && (await bodyOf(outcome));
    if (typeof told === 'string') return () => itemOf(told, dictionaries);
    const { Attributes } = await client.send(withFirstOutcome(new UpdateCommand(input), told));
    return () => Attributes;
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
