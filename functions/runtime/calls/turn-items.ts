import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Environment } from '#contract/platform/environment.ts';
import { type Items, itemsBy, sdkSend } from '#repositories/shared/items.ts';
import { awsService } from '../aws/aws-service.ts';
import { dynamoTimeout } from '../aws/timeouts.ts';
import { quickSend } from '../quick/quick-send.ts';

/** How a turn reads and writes its items: past the SDK's middleware, unless that is switched off or only the SDK knows the way. */
export function turnItems({ FAST_PATH }: Pick<Environment, 'FAST_PATH'>, client: DynamoDBDocumentClient): Items {
  const service = FAST_PATH === 'on' ? awsService('dynamodb') : undefined;
  return itemsBy(service ? quickSend(service, client, { requestTimeout: dynamoTimeout }) : sdkSend(client));
}
