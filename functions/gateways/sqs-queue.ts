import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { MessageQueue } from '#domain/shared/ports.ts';

/** Sends to the SQS queue of this URL. */
export function sqsQueue(client: SQSClient, QueueUrl: string): MessageQueue {
  return {
    async send(message, DelaySeconds = 0) {
      const MessageBody = JSON.stringify(message);
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody, ...(DelaySeconds > 0 && { DelaySeconds }) }));
    },
  };
}
