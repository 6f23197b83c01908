import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { getEndpointFromInstructions } from '@smithy/core/endpoints';
import type { Wire } from './attempt.ts';
import { attributesOf } from './attributes.ts';
import { withFirstOutcome } from './first-outcome.ts';
import { itemOf, type Wanted } from './item-reader.ts';
import { bodyOf } from './read-body.ts';
import { signedTransport } from './signed-transport.ts';

const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.UpdateItem',
};

/** An item has 400 KB at most, and JSON needs several bytes for some of them. */
const maxItemBytes = 4 * 1024 * 1024;

type Item = Record<string, unknown>;

/**
 * UpdateItem whose first attempt goes past the SDK's middleware. Only an answer of 200 is taken as it is; everything else is
 * handed to the SDK as the outcome of its first attempt. Resolves when the write is done, with what reads the item that it
 * left: of an answer of 200 what is `wanted`, which may have no sets and no binary attributes; of the SDK's the whole.
 */
export function quickUpdate(client: DynamoDBDocumentClient, wire: Wire, wanted: Wanted) {
  const endpoint = async () => (await getEndpointFromInstructions({}, UpdateItemCommand, client.config)).url;
  const transport = signedTransport(client.config, wire, endpoint);

  return async (input: UpdateCommandInput): Promise<() => Item | undefined> => {
    const outcome = await transport({ path: '/', headers, body: JSON.stringify(marshalled(input)) })();
    const told = outcome && (await bodyOf(outcome, maxItemBytes));
    if (typeof told === 'string') return () => itemOf(told, wanted);
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
