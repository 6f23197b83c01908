import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { outputOf } from '#repositories/shared/attributes.ts';
import { operationOf, type SendCommand, sdkSend } from '#repositories/shared/items.ts';
import type { AwsService } from '../aws/aws-service.ts';
import type { TransportOptions } from './attempt.ts';
import { dynamodbRequest } from './dynamodb-request.ts';
import { addFirstResult } from './first-result.ts';
import { bodyOf, signedTransport } from './signed-transport.ts';

/** A read returns at most 1 MB of items; JSON escapes some bytes to several characters. */
const maxBodyBytes = 8 * 1024 * 1024;

/**
 * Sends a first attempt without the SDK's middleware (docs/adr/0008-quick-first-attempt.md). Passes any result except
 * 200 to the SDK.
 */
export function quickSend(service: AwsService, client: DynamoDBDocumentClient, options: TransportOptions): SendCommand {
  const prepare = signedTransport(service, options);
  const viaSdk = sdkSend(client);

  return async (command) => {
    const request = dynamodbRequest(operationOf(command), command.input);
    const body = await bodyOf(await prepare(request)(), maxBodyBytes);
    if (typeof body === 'string') return outputOf(body);
    addFirstResult(command, body);
    return viaSdk(command).finally(() => {
      service.clockOffset = client.config.systemClockOffset;
    });
  };
}
