import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';

interface Patience {
  readonly patienceMs: number;
  /** Minimum attempts, even if they take longer than `patienceMs` in a busy process. */
  readonly minTries?: number;
}

/** Much longer than a transaction, and a small part of any function's timeout. */
const writePatience: Patience = { patienceMs: 2000, minTries: 10 };

/** Bounds in ms of the random pause, doubled on each retry (AWS "Exponential Backoff And Jitter", full jitter). */
const pauseBoundMs = { first: 20, max: 250 } as const;

/** Retries a write that conflicts with a transaction. A conflicting write has changed nothing. */
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
 * Makes a client retry conflicting writes, which the SDK does not. Wraps the SDK's own retries, so that all attempts
 * of a transaction share one token.
 */
export function withConflictRetries(client: DynamoDBClient): DynamoDBClient {
  client.middlewareStack.add((next) => (args) => retryConflicts(() => next(args), writePatience), {
    step: 'build',
    name: 'conflictRetries',
  });
  return client;
}

function isConflict(error: unknown): boolean {
  if (!isCancelled(error)) return error instanceof Error && error.name === 'TransactionConflictException';
  const codes = error.CancellationReasons?.map(({ Code }) => Code) ?? [];
  return codes.includes(conflict) && codes.every((code) => code === conflict || code === 'None');
}

const conflict = 'TransactionConflict';

const isCancelled = (error: unknown): error is TransactionCanceledException =>
  error instanceof Error && error.name === 'TransactionCanceledException';
