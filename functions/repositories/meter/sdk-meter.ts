import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { AdaptCommand } from '#aws/first-result.ts';
import type { MeterAccess } from './meter-calls.ts';

export function sdkMeter(client: DynamoDBDocumentClient, adapt: AdaptCommand = () => {}): MeterAccess {
  return {
    async update(input) {
      const command = new UpdateCommand(input);
      adapt(command);
      const { Attributes } = await client.send(command);
      return () => Attributes;
    },
    async read(input) {
      const command = new GetCommand(input);
      adapt(command);
      return (await client.send(command)).Item;
    },
  };
}
