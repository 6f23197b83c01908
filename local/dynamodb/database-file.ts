import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { TableSpec } from '#contract/platform/resources.ts';

/**
 * The SQLite file of the embedded database, beside the process that serves it: its journal is a WAL, which several
 * processes may use, and both wait for a lock of the other. For upkeep that its API has no operation for.
 */
export interface DatabaseFile {
  /** Keys of items whose time was over at an epoch second, longest over first. */
  expired(spec: TableSpec, nowSeconds: number, limit: number): Key[];
  /** Deletes a table's oldest stream records before a sequence number. Returns how many, or 'busy' if it has to be tried again. */
  trimStream(table: string, before: number, limit: number): number | 'busy';
  /** Changes whenever the database has written. */
  readonly version: () => number;
  close(): void;
}

export type Key = Record<string, AttributeValue>;

/** Longer waits would hold up the whole service, which has one thread. */
const lockWaitMs = 5;
/** For a change of the file at the start. */
const startWaitMs = 5000;
/** SQLite's code of a lock that another holds (https://sqlite.org/rescode.html). */
const busyCode = 5;

/**
 * Opens the file and makes indexes of our own, for which the embedded database looks through whole tables: it numbers
 * each stream record by the highest before it, and knows no expiry. Returns undefined if another version of the database
 * keeps its data in another way.
 */
export function openDatabaseFile(file: string, specs: readonly TableSpec[]): DatabaseFile | undefined {
  const database = new DatabaseSync(file, { timeout: startWaitMs });
  try {
    database.exec(`CREATE INDEX IF NOT EXISTS local_stream_order ON _stream_records (table_name, ${sequence})`);
    for (const spec of specs) {
      if (!spec.ttlAttribute) continue;
      database.exec(
        `CREATE INDEX IF NOT EXISTS "local_expiry_${spec.name}" ON "${spec.name}" (${expiry(spec.ttlAttribute)})`,
      );
    }
    // What is deleted here may come back after a power failure: it is deleted again.
    database.exec(`PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = ${lockWaitMs}`);
    return accessTo(database);
  } catch {
    database.close();
    return undefined;
  }
}

const sequence = 'CAST(sequence_number AS INTEGER)';
const expiry = (attribute: string): string => `CAST(json_extract(item_json, '$.${attribute}.N') AS INTEGER)`;

const StoredItem = v.object({
  item_json: v.pipe(
    v.string(),
    v.parseJson(),
    v.record(
      v.string(),
      v.custom<AttributeValue>(() => true),
    ),
  ),
});

function accessTo(database: DatabaseSync): DatabaseFile {
  const trim = database.prepare(
    `DELETE FROM _stream_records WHERE id IN (SELECT id FROM _stream_records WHERE table_name = ? AND ${sequence} < ? LIMIT ?)`,
  );

  const dataVersion = database.prepare('PRAGMA data_version');

  return {
    version: () => Number(dataVersion.get()?.['data_version']),
    expired({ name, ttlAttribute, partitionKey, sortKey }, nowSeconds, limit) {
      if (!ttlAttribute) return [];
      const isOver = `${expiry(ttlAttribute)} < ?`;
      const rows = database
        .prepare(`SELECT item_json FROM "${name}" WHERE ${isOver} ORDER BY ${expiry(ttlAttribute)} LIMIT ?`)
        .all(nowSeconds, limit);
      const names = [partitionKey, ...(sortKey ? [sortKey] : [])].map((key) => key.name);
      return rows.map((row) => keyOf(v.parse(StoredItem, row).item_json, names));
    },
    trimStream(table, before, limit) {
      try {
        return Number(trim.run(table, before, limit).changes);
      } catch (error) {
        if (isBusy(error)) return 'busy';
        throw error;
      }
    },
    close: () => database.close(),
  };
}

/** The key attributes of an item. */
export function keyOf(item: Key, names: readonly string[]): Key {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === busyCode;

/** A rewrite takes about 10 ms for each megabyte that is kept, so it must be worth its time. */
const minFreeBytes = 64 * 1024 * 1024;

/**
 * Rewrites the file without its free pages if they are at least half of it, before the database opens it: SQLite uses free
 * pages again, but never gives them back by itself. If the process dies on the way the file is as before.
 */
export function compactFile(file: string): void {
  if (!existsSync(file)) return;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    const freePages = pragma(database, 'freelist_count');
    const isWorthIt = freePages * pragma(database, 'page_size') >= minFreeBytes;
    if (isWorthIt && freePages * 2 >= pragma(database, 'page_count'))
      database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // A process that was left over may still use the file, or the disk may have no room for a copy.
  } finally {
    database?.close();
  }
}

const pragma = (database: DatabaseSync, name: string): number =>
  Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
