import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';

/** How long a write goes on. */
interface Patience {
  readonly patienceMs: number;
  /** Also where those take longer, as in a process that is kept busy. */
  readonly minTries?: number;
}

/** Of every write: far longer than a transaction takes, and a small part of any function's time. */
const writePatience: Patience = { patienceMs: 2000, minTries: 10 };

/** A pause is drawn from 0 up to a bound, which doubles from try to try (AWS "Exponential Backoff And Jitter", full jitter). */
const pauseBoundMs = { first: 20, max: 250 } as const;

/**
 * Makes a write again while a transaction on one of its items turns it away, as long as its patience lasts; then the last
 * conflict is thrown. A write that met a conflict has changed nothing.
 */
export async function retryConflicts<T>(write: () => Promise<T>, { patienceMs, minTries = 1 }: Patience): Promise<T> {
  const end = performance.now() + patienceMs;
  let boundMs: number = pauseBoundMs.first;
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      const pauseMs = Math.random() * boundMs;
      const isOver = performance.now() + pauseMs >= end && tries >= minTries;
      if (isOver || !isConflict(error)) throw error;
      await sleep(pauseMs);
      boundMs = Math.min(2 * boundMs, pauseBoundMs.max);
    }
  }
}

/**
 * Has a client make every write again that meets a conflict, which the SDK by itself does not: single writes, and transactions
 * that were cancelled for nothing else. Around the SDK's own retries, so that all tries of a transaction have one token.
 */
export function withConflictRetries(client: DynamoDBClient): DynamoDBClient {
  client.middlewareStack.add((next) => (args) => retryConflicts(() => next(args), writePatience), {
    step: 'build',
    name: 'conflictRetries',
  });
  return client;
}

/** AWS "TransactionConflictException", "TransactionCanceledException"; by name, as in `conditional.ts`. */
function isConflict(error: unknown): boolean {
  if (!isCancelled(error)) return error instanceof Error && error.name === 'TransactionConflictException';
  const codes = error.CancellationReasons?.map(({ Code }) => Code) ?? [];
  return codes.includes(conflict) && codes.every((code) => code === conflict || code === 'None');
}

const conflict = 'TransactionConflict';

const isCancelled = (error: unknown): error is TransactionCanceledException =>
  error instanceof Error && error.name === 'TransactionCanceledException';
