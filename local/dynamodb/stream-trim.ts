import { setTimeout as sleep } from 'node:timers/promises';
import { described } from '../shared/problems.ts';
import type { DatabaseFile } from './database-file.ts';
import type { StreamPump } from './stream-pump.ts';

export interface StreamTrimOptions {
  readonly file: Pick<DatabaseFile, 'trimStream'>;
  /** All pumps of each table's stream. */
  readonly pumps: ReadonlyMap<string, readonly Pick<StreamPump, 'position'>[]>;
  readonly log: (line: string) => void;
}

/** Records deleted at a time, about 2 ms; other writes wait that long. */
const recordsPerSlice = 100;
const betweenSlicesMs = 10;
const restMs = 1000;

/**
 * Deletes the stream records that all pumps have done with, which DynamoDB does after 24 hours and the embedded database
 * never. The last one that is done stays: the database numbers the next record by it.
 */
export function startStreamTrim({ file, pumps, log }: StreamTrimOptions): { close(): Promise<void> } {
  const ending = new AbortController();
  const trimmed = new Map<string, number>();

  async function trim(table: string, followers: readonly Pick<StreamPump, 'position'>[]): Promise<void> {
    const done = Math.min(...followers.map((pump) => pump.position()));
    if (done <= (trimmed.get(table) ?? 0)) return;
    for (let deleted: number | 'busy' = recordsPerSlice; deleted === 'busy' || deleted === recordsPerSlice;) {
      deleted = file.trimStream(table, done, recordsPerSlice);
      await sleep(betweenSlicesMs, undefined, { signal: ending.signal });
    }
    trimmed.set(table, done);
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        for (const [table, followers] of pumps) await trim(table, followers);
        await sleep(restMs, undefined, { signal: ending.signal });
      } catch (error) {
        if (ending.signal.aborted) return;
        log(`stream records could not be deleted: ${described(error)}`);
        await sleep(restMs, undefined, { signal: ending.signal }).catch(() => undefined);
      }
    }
  }

  const ended = run();
  return {
    async close() {
      ending.abort();
      await ended;
    },
  };
}
