import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sqsSettings } from '#aws/clients.ts';
import type { MessageQueue } from '#domain/shared/ports.ts';

export const sqsClient = (): SQSClient => new SQSClient(sqsSettings);

/** Sends to the SQS queue of this URL. */
export function sqsQueue(client: SQSClient, QueueUrl: string): MessageQueue {
  return {
    async send(message, { group: MessageGroupId, delaySeconds: DelaySeconds = 0 } = {}) {
      const MessageBody = JSON.stringify(message);
      // A group on a standard queue makes it a fair queue (AWS "How Amazon SQS fair queues work").
      const fairness = MessageGroupId !== undefined && { MessageGroupId };
      const delay = DelaySeconds > 0 && { DelaySeconds };
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody, ...fairness, ...delay }));
    },
  };
}
