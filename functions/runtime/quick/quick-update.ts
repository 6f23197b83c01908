import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  UpdateCommand,
  type UpdateCommandInput,
  type UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { getEndpointFromInstructions } from '@smithy/core/endpoints';
import { withFirstOutcome } from './first-outcome.ts';
import { bodyOf } from './read-body.ts';
import { signedTransport } from './signed-transport.ts';

const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.UpdateItem',
};

/**
 * UpdateItem whose first attempt goes past the SDK's middleware. Only an answer of 200 is taken as it is; everything else is
 * handed to the SDK as the outcome of its first attempt. Items may have no binary attributes.
 */
export function quickUpdate(client: DynamoDBDocumentClient) {
  const endpoint = async () => (await getEndpointFromInstructions({}, UpdateItemCommand, client.config)).url;
  const send = signedTransport(client.config, endpoint);

  return async (input: UpdateCommandInput): Promise<UpdateCommandOutput> => {
    const outcome = await send({ path: '/', headers, body: JSON.stringify(marshalled(input)) });
    const told = outcome && (await bodyOf(outcome));
    if (told && 'body' in told) return outputOf(told.body);
    return client.send(withFirstOutcome(new UpdateCommand(input), told));
  };
}

function marshalled(input: UpdateCommandInput) {
  const { Key, ExpressionAttributeValues: values } = input;
  const options = { removeUndefinedValues: true };
  return {
    ...input,
    Key: marshall(Key, options),
    ...(values && { ExpressionAttributeValues: marshall(values, options) }),
  };
}

function outputOf(body: Buffer): UpdateCommandOutput {
  const { Attributes } = JSON.parse(body.toString());
  return { $metadata: { httpStatusCode: 200 }, ...(Attributes && { Attributes: unmarshall(Attributes) }) };
}
