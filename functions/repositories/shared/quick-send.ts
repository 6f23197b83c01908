import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type ItemOutput, outputOf } from '#aws/attributes.ts';
import { dynamoSender } from '#aws/first-attempt.ts';
import type { AwsService } from '#aws/service.ts';
import type { TransportOptions } from '#aws/transport.ts';
import { operationOf, type SendCommand, sdkSend } from './items.ts';

/** Sends the first attempt past the SDK's middleware (docs/adr/0008-quick-first-attempt.md). */
export function quickSend(service: AwsService, client: DynamoDBDocumentClient, options: TransportOptions): SendCommand {
  const send = dynamoSender(service, async () => client, options);
  const viaSdk = sdkSend(client);
  return (command) =>
    send<ItemOutput>(operationOf(command), command.input, {
      read: outputOf,
      viaSdk(_, adapt) {
        adapt(command);
        return viaSdk(command);
      },
    });
}
