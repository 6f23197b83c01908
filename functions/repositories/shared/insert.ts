import { setTimeout as sleep } from 'node:timers/promises';
import { BatchExecuteStatementCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { doublingPause } from '#contract/shared/time.ts';
import { notAllRead } from './read-items.ts';

/** Maximum of BatchExecuteStatement. */
const maxStatements = 25;

/** Pauses in ms before rows of a busy partition are inserted again, doubled up to the maximum: 3 s in ten tries. */
const pauseMs = { first: 10, max: 800 } as const;
const maxTries = 10;

/** Errors of a statement that pass (AWS "BatchStatementError"). */
const passing: ReadonlySet<string> = new Set([
  'InternalServerError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'ThrottlingError',
  'TransactionConflict',
]);

type Row = Readonly<Record<string, unknown>> & { readonly a: number; readonly sk: string };
interface Insertion {
  readonly row: Row;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Inserts rows unless they exist. Rows of concurrent callers share requests. A row of up to 1 KB uses one write unit,
 * in a transaction two. Rejects only the callers of failed rows, after all their writes have ended.
 */
export function inserter(client: DynamoDBDocumentClient, table: string) {
  /** By key: a request must not name an item twice. */
  const waiting = new Map<string, Insertion>();

  function statementOf(row: Row) {
    const fields = Object.entries(row).filter(([, value]) => value !== undefined);
    const values = fields.map(([name]) => `'${name}': ?`).join(', ');
    return { Statement: `INSERT INTO "${table}" VALUE {${values}}`, Parameters: fields.map(([, value]) => value) };
  }

  /** Returns the insertions to repeat. */
  async function attempt(some: readonly Insertion[], isLast: boolean): Promise<Insertion[]> {
    const Statements = some.map(({ row }) => statementOf(row));
    const { Responses = [] } = await client.send(new BatchExecuteStatementCommand({ Statements }));
    return some.filter(({ done }, index) => {
      const response = Responses[index];
      const code = response ? response.Error?.Code : 'InternalServerError';
      if (code === undefined || code === 'DuplicateItem') done.resolve();
      else if (!passing.has(code)) done.reject(new Error(`a row could not be inserted (${code})`));
      else if (isLast) done.reject(notAllRead());
      else return true;
      return false;
    });
  }

  async function send(some: readonly Insertion[]): Promise<void> {
    let left = some;
    try {
      for (let tries = 1; left.length > 0; tries++) {
        left = await attempt(left, tries === maxTries);
        if (left.length > 0) await sleep(doublingPause(tries, pauseMs));
      }
    } catch (error) {
      for (const { done } of left) done.reject(error);
    }
  }

  function sendAll(): void {
    const all = [...waiting.values()];
    waiting.clear();
    for (let start = 0; start < all.length; start += maxStatements) void send(all.slice(start, start + maxStatements));
  }

  function insert(row: Row): Promise<void> {
    const key = `${row.a} ${row.sk}`;
    const insertion = waiting.get(key) ?? { row, done: Promise.withResolvers<void>() };
    if (waiting.size === 0) setImmediate(sendAll);
    waiting.set(key, insertion);
    return insertion.done.promise;
  }

  return async (rows: readonly Row[]): Promise<void> => {
    for (const end of await Promise.allSettled(rows.map(insert))) if (end.status === 'rejected') throw end.reason;
  };
}
