import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  UpdateCommand,
  type UpdateCommandInput,
  type UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';
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

/**
 * UpdateItem whose first attempt goes past the SDK's middleware. Only an answer of 200 is taken as it is; everything else is
 * handed to the SDK as the outcome of its first attempt. Items may have no sets and no binary attributes. Of the item in an
 * answer of 200, the attributes named in `dictionaries` are a `Map` instead of an object.
 */
export function quickUpdate(client: DynamoDBDocumentClient, wire: Wire, dictionaries: ReadonlySet<string>) {
  const endpoint = async () => (await getEndpointFromInstructions({}, UpdateItemCommand, client.config)).url;
  const send = signedTransport(client.config, wire, endpoint);

  return async (input: UpdateCommandInput): Promise<UpdateCommandOutput> => {
    const outcome = await send({ path: '/', headers, body: JSON.stringify(marshalled(input)) });
    const told = outcome && (await bodyOf(outcome));
    if (typeof told === 'string') return outputOf(told, dictionaries);
    return client.send(withFirstOutcome(new UpdateCommand(input), told));
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

function outputOf(body: string, dictionaries: ReadonlySet<string>): UpdateCommandOutput {
  const Attributes = itemOf(body, dictionaries);
  return { $metadata: { httpStatusCode: 200 }, ...(Attributes && { Attributes }) };
}
