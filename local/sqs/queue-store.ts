import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import * as v from 'valibot';
import { allJobs } from '#contract/jobs.ts';
import { queues, visibilityTimeoutSeconds } from '#contract/platform/resources.ts';
import { isDamaged } from '../shared/data-folder.ts';
import { Problem } from '../shared/problems.ts';

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
