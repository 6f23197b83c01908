import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import * as v from 'valibot';
import { allJobs } from '#contract/jobs.ts';
import { queues, visibilityTimeoutSeconds } from '#contract/platform/resources.ts';
import { isDamaged } from '../shared/data-folder.ts';
import { BodyTooLarge, listen, listener, type Loopback, readBody, sendAwsJson } from '../shared/loopback.ts';
import { Problem } from '../shared/problems.ts';

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
export const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** Drops the connection for any other error, like a crashed server. */
function failure(error: unknown) {
  const known =
    error instanceof BodyTooLarge ? new SqsError('com.amazonaws.sqs#InvalidMessageContents', error.message) : error;
  if (!(known instanceof SqsError)) throw known;
  return { status: 400, body: { __type: known.type, message: known.message } };
}

export interface LocalQueue {
  readonly name: string;
  readonly visibilityTimeoutSeconds: number;
  readonly maxReceiveCount: number;
}

/** A received message, hidden until its visibility timeout. Times in epoch ms. */
export interface ReceivedMessage {
  readonly id: string;
  readonly body: string;
  readonly sentAt: number;
  /** Number of receives, including this one. */
  readonly receives: number;
  /** Receipt handle of this receive. */
  readonly receipt: string;
}

export interface QueueStore {
  readonly has: (queue: string) => boolean;
  /** Returns the message's id once it is on disk. The message is visible after `delaySeconds`. */
  readonly send: (
    queue: string,
    body: string,
    options?: { delaySeconds?: number; group?: string | undefined },
  ) => string;
  /**
   * Returns up to `limit` visible messages: groups with the fewest messages in flight first, then the oldest. Moves
   * messages without remaining receives to the dead-letter queue.
   */
  readonly receive: (queue: string, limit: number) => ReceivedMessage[];
  readonly hasVisible: (queue: string) => boolean;
  /** Calls `wake` whenever a message is sent to the queue. */
  readonly onArrival: (queue: string, wake: () => void) => void;
  /** Only accepts the latest receipt. SQS may also ignore an older one. */
  readonly delete: (queue: string, receipt: string) => void;
  /** Number of messages in each queue's dead-letter queue, by the queue's name. */
  readonly parked: () => Record<string, number>;
  readonly close: () => void;
}

export const deadLettersOf = (queue: string): string => `${queue}-dead-letters`;

/** SQS's default, used for dead-letter queues. */
const defaultVisibilitySeconds = 30;

const schema = `
CREATE TABLE IF NOT EXISTS messages (
  position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, queue TEXT NOT NULL, body TEXT NOT NULL,
  sentAt INTEGER NOT NULL, visibleAt INTEGER NOT NULL, receives INTEGER NOT NULL, receipt TEXT, tenant TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS by_queue ON messages (queue, position);`;

/**
 * Like SQS's fair queues, prefers tenants with the fewest messages in flight (AWS "How Amazon SQS fair queues work").
 */
const takeSql = `
WITH busy AS (
  SELECT tenant, count(*) AS held FROM messages WHERE queue = :queue AND visibleAt > :now AND receives > 0 GROUP BY tenant
), waiting AS (
  SELECT position, coalesce(held, 0) + row_number() OVER (PARTITION BY tenant ORDER BY position) AS turn
  FROM messages LEFT JOIN busy USING (tenant) WHERE queue = :queue AND visibleAt <= :now
)
UPDATE messages SET receives = receives + 1, visibleAt = :hiddenUntil, receipt = id || '#' || (receives + 1)
WHERE position IN (SELECT position FROM waiting ORDER BY turn, position LIMIT :limit)
RETURNING position, id, body, sentAt, receives, receipt`;

const Row = v.object({
  position: v.number(),
  id: v.string(),
  body: v.string(),
  sentAt: v.number(),
  receives: v.number(),
  receipt: v.string(),
});
const Earliest = v.object({ at: v.nullable(v.number()) });
const Count = v.object({ count: v.number() });

/** Stores the queues in a private SQLite file. `now` in epoch ms. Throws a Problem if the file is damaged. */
export function openQueueStore(file: string, queues: readonly LocalQueue[], now: () => number): QueueStore {
  closeSync(openSync(file, 'a', 0o600));
  if (isDamaged(file))
    throw new Problem(
      `The queues in ${file} are damaged. Remove the file, or choose another data folder with --data DIR.`,
    );
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec(schema);
  // Files of earlier versions have no groups.
  if (!database.prepare("SELECT 1 FROM pragma_table_info('messages') WHERE name = 'tenant'").get())
    database.exec('ALTER TABLE messages ADD COLUMN tenant TEXT');
  const insert = database.prepare('INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, 0, NULL, ?)');
  const park = database.prepare('UPDATE messages SET queue = ? WHERE queue = ? AND visibleAt <= ? AND receives >= ?');
  const take = database.prepare(takeSql);
  const earliest = database.prepare('SELECT min(visibleAt) AS at FROM messages WHERE queue = ?');
  const remove = database.prepare('DELETE FROM messages WHERE queue = ? AND receipt = ?');
  const count = database.prepare('SELECT count(*) AS count FROM messages WHERE queue = ?');
  const names = new Set(queues.flatMap(({ name }) => [name, deadLettersOf(name)]));

  /** Queues without messages, so that their consumers wait without queries. */
  const empty = new Set<string>();

  const wakers = new Map<string, () => void>();

  const send: QueueStore['send'] = (queue, body, { delaySeconds = 0, group } = {}) => {
    const id = randomUUID();
    insert.run(id, queue, body, now(), now() + 1000 * delaySeconds, group ?? id);
    empty.delete(queue);
    wakers.get(queue)?.();
    return id;
  };

  function receive(name: string, limit: number): ReceivedMessage[] {
    const queue = queues.find((known) => known.name === name);
    if (queue) park.run(deadLettersOf(name), name, now(), queue.maxReceiveCount);
    const hiddenMs = 1000 * (queue?.visibilityTimeoutSeconds ?? defaultVisibilitySeconds);
    const rows = take
      .all({ hiddenUntil: now() + hiddenMs, queue: name, now: now(), limit })
      .map((row) => v.parse(Row, row));
    return rows.toSorted((one, other) => one.position - other.position);
  }

  function hasVisible(queue: string): boolean {
    if (empty.has(queue)) return false;
    const { at } = v.parse(Earliest, earliest.get(queue));
    if (at === null) empty.add(queue);
    return at !== null && at <= now();
  }

  const deadLettersIn = ({ name }: LocalQueue) => v.parse(Count, count.get(deadLettersOf(name))).count;

  return {
    has: (queue) => names.has(queue),
    send,
    receive,
    hasVisible,
    onArrival: (queue, wake) => void wakers.set(queue, wake),
    delete: (queue, receipt) => void remove.run(queue, receipt),
    parked: () => Object.fromEntries(queues.map((queue) => [queue.name, deadLettersIn(queue)])),
    close: () => database.close(),
  };
}

/** The queues that trigger jobs, with CDK's settings. */
const localQueues: readonly LocalQueue[] = allJobs.flatMap((job) =>
  'queue' in job.trigger
    ? [{ ...queues[job.trigger.queue], visibilityTimeoutSeconds: visibilityTimeoutSeconds(job) }]
    : [],
);

export const openQueues = (file: string, now: () => number): QueueStore => openQueueStore(file, localQueues, now);
