import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { BodyTooLarge, type Loopback, listen, listener, readBody, sendAwsJson } from '../shared/loopback.ts';
import type { QueueStore, ReceivedMessage } from './queue-store.ts';

class SqsError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** SQS accepts messages of 1 MiB (SQS quotas). JSON escapes may double them. */
const maxMessageBytes = 1024 * 1024;
const maxBodyBytes = 2 * maxMessageBytes + 4096;

const QueueUrl = v.string();
const Send = v.object({
  QueueUrl,
  MessageBody: v.pipe(v.string(), v.nonEmpty(), v.maxBytes(maxMessageBytes)),
  DelaySeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(900)), 0),
  MessageGroupId: v.optional(v.pipe(v.string(), v.regex(/^[!-~]{1,128}$/))),
});
const Receive = v.object({
  QueueUrl,
  MaxNumberOfMessages: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)), 1),
});
const Delete = v.object({ QueueUrl, ReceiptHandle: v.string() });

export const queueUrl = (server: string, queue: string): string => `${server}/000000000000/${queue}`;

/** Sends, receives and deletes messages in SQS's JSON protocol (AWS JSON 1.0). */
export function startSqs(store: QueueStore): Promise<Loopback> {
  const operations: Readonly<Record<string, (input: unknown) => object>> = {
    SendMessage: (input) => {
      const { QueueUrl: url, MessageBody, DelaySeconds: delaySeconds, MessageGroupId: group } = parsed(Send, input);
      const MessageId = store.send(queueAt(store, url), MessageBody, { delaySeconds, group });
      return { MessageId, MD5OfMessageBody: md5(MessageBody) };
    },
    ReceiveMessage: (input) => {
      const { QueueUrl: url, MaxNumberOfMessages } = parsed(Receive, input);
      const messages = store.receive(queueAt(store, url), MaxNumberOfMessages);
      return messages.length > 0 ? { Messages: messages.map(messageOf) } : {};
    },
    DeleteMessage: (input) => {
      const { QueueUrl: url, ReceiptHandle } = parsed(Delete, input);
      store.delete(queueAt(store, url), ReceiptHandle);
      return {};
    },
  };

  async function bodyFor(request: IncomingMessage): Promise<object> {
    const name = String(request.headers['x-amz-target'] ?? '').replace(/^AmazonSQS\./, '');
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
    if (!operation)
      throw new SqsError('com.amazonaws.sqs#UnsupportedOperation', `The operation ${name} is not supported.`);
    return operation(JSON.parse((await readBody(request, maxBodyBytes)).toString()));
  }

  return listen(
    listener(async (request, response) => {
      const reply = await bodyFor(request).then((body) => ({ status: 200, body }), failure);
      sendAwsJson(response, reply.status, reply.body);
    }),
  );
}

function queueAt(store: QueueStore, url: string): string {
  const name = url.slice(url.lastIndexOf('/') + 1);
  if (store.has(name)) return name;
  throw new SqsError('com.amazonaws.sqs#QueueDoesNotExist', 'The specified queue does not exist.');
}

function parsed<Schema extends v.GenericSchema>(schema: Schema, input: unknown): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, input);
  if (success) return output;
  const [{ message }] = issues;
  throw new SqsError('com.amazon.coral.validate#ValidationException', `${v.getDotPath(issues[0]) ?? ''}: ${message}`);
}

function messageOf({ id, body, receipt, sentAt, receives }: ReceivedMessage) {
  const Attributes = { SentTimestamp: String(sentAt), ApproximateReceiveCount: String(receives) };
  return { MessageId: id, Body: body, MD5OfBody: md5(body), ReceiptHandle: receipt, Attributes };
}

/** The SDK verifies it. */
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** Drops the connection for any other error, like a crashed server. */
function failure(error: unknown) {
  const known =
    error instanceof BodyTooLarge ? new SqsError('com.amazonaws.sqs#InvalidMessageContents', error.message) : error;
  if (!(known instanceof SqsError)) throw known;
  return { status: 400, body: { __type: known.type, message: known.message } };
}
