import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Update } from './meter-calls.ts';

export function sdkUpdate(client: DynamoDBDocumentClient, adapt: (command: UpdateCommand) => void = () => {}): Update {
  return async (input) => {
    const command = new UpdateCommand(input);
    adapt(command);
    const { Attributes } = await client.send(command);
    return () => Attributes;
  };
}
