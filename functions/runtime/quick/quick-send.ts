import { type DynamoDBDocumentClient, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { attributesOf, valuesOf } from '#repositories/shared/attributes.ts';
import { type ItemCommand, type ItemOutput, type SendCommand, sdkSend } from '#repositories/shared/items.ts';
import type { AwsService } from '../aws/aws-service.ts';
import type { TransportOptions } from './attempt.ts';
import { addFirstResult } from './first-result.ts';
import { bodyOf, signedTransport } from './signed-transport.ts';

/** A read ends at 1 MB of items, and JSON needs several bytes for some of them. */
const maxBodyBytes = 8 * 1024 * 1024;

/** Types of attributes, each with a value (AWS "AttributeValue"). */
const Attributes = v.record(v.string(), v.record(v.string(), v.unknown()));
const Output = v.object({
  Item: v.optional(Attributes),
  Items: v.optional(v.array(Attributes)),
  LastEvaluatedKey: v.optional(Attributes),
});

/**
 * Sends commands of DynamoDB whose first attempt goes past the SDK's middleware (docs/adr/0008-quick-first-attempt.md). Only a response of 200 is
 * taken as it is; everything else is handed to the SDK as the result of its first attempt.
 */
export function quickSend(service: AwsService, client: DynamoDBDocumentClient, options: TransportOptions): SendCommand {
  const prepare = signedTransport(service, options);
  const viaSdk = sdkSend(client);

  return async (command) => {
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operationOf(command)}`,
    };
    const result = await prepare({ path: '/', headers, body: JSON.stringify(marshalled(command.input)) })();
    const body = await bodyOf(result, maxBodyBytes);
    if (typeof body === 'string') return outputOf(body);
    addFirstResult(command, body);
    return viaSdk(command).finally(() => {
      service.clockOffset = client.config.systemClockOffset;
    });
  };
}

function operationOf(command: ItemCommand): string {
  if (command instanceof GetCommand) return 'GetItem';
  if (command instanceof QueryCommand) return 'Query';
  return command instanceof UpdateCommand ? 'UpdateItem' : 'TransactWriteItems';
}

/** What of an input is attributes, wherever it is in it. */
const isAttributes: ReadonlySet<string> = new Set(['Key', 'Item', 'ExpressionAttributeValues', 'ExclusiveStartKey']);

function marshalled(input: object): object {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]: [string, unknown]) => {
      if (typeof value !== 'object' || value === null) return [name, value];
      if (isAttributes.has(name)) return [name, attributesOf(value)];
      if (name === 'ExpressionAttributeNames') return [name, value];
      return [name, Array.isArray(value) ? value.map(marshalled) : marshalled(value)];
    }),
  );
}

function outputOf(body: string): ItemOutput {
  const { Item, Items, LastEvaluatedKey } = v.parse(Output, JSON.parse(body));
  return {
    ...(Item && { Item: valuesOf(Item) }),
    ...(Items && { Items: Items.map(valuesOf) }),
    ...(LastEvaluatedKey && { LastEvaluatedKey: valuesOf(LastEvaluatedKey) }),
  };
}
