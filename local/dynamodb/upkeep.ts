import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { TableSpec } from '#contract/platform/tables.ts';
import { described } from '../shared/problems.ts';
import type { StreamPump } from './stream-pump.ts';

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
function keyOf(item: Key, names: readonly string[]): Key {
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

/** `file` is missing of a database that somebody else runs. */
export interface SweptDatabase {
  readonly client: DynamoDBClient;
  readonly file: DatabaseFile | undefined;
}

/** Deletes items whose time is over. `now` in epoch milliseconds, of the shifted clock. */
export type TtlSweep = (now: number) => Promise<void>;

/** Expired items looked up at a time, and how long a run goes on: the next one continues. */
const itemsPerSlice = 50;
const runMs = 2000;
/** Items that are read of a table in one run if it has no index of the expiry, about 5 ms. */
const itemsPerScan = 250;

/**
 * Does what DynamoDB does by itself and the embedded database does not. At rest it costs a look into an index; one item
 * at a time is deleted, so that a read beside it waits for one write at most.
 */
export function createTtlSweep({ client, file }: SweptDatabase, specs: readonly TableSpec[]): TtlSweep {
  const expiring = specs.filter(({ ttlAttribute }) => ttlAttribute !== undefined);
  const cursors = new Map<string, Key | undefined>();

  /** The next page of a table, from where the last run ended. */
  async function scanExpired(spec: TableSpec, nowSeconds: number): Promise<Key[]> {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        ...isOver(spec, nowSeconds),
        FilterExpression: condition,
        Limit: itemsPerScan,
        ExclusiveStartKey: cursors.get(spec.name),
      }),
    );
    cursors.set(spec.name, LastEvaluatedKey);
    const names = [spec.partitionKey, ...(spec.sortKey ? [spec.sortKey] : [])].map(({ name }) => name);
    return Items.map((item) => keyOf(item, names));
  }

  async function sweepTable(spec: TableSpec, nowSeconds: number, end: number): Promise<void> {
    for (;;) {
      const keys = file ? file.expired(spec, nowSeconds, itemsPerSlice) : await scanExpired(spec, nowSeconds);
      for (const Key of keys) await deleteExpired(client, { ...isOver(spec, nowSeconds), Key });
      if (!file || keys.length < itemsPerSlice || performance.now() >= end) return;
    }
  }

  return async (now) => {
    const end = performance.now() + runMs;
    for (const spec of expiring) await sweepTable(spec, Math.floor(now / 1000), end);
  };
}

const condition = '#ttl < :now';

const isOver = ({ name, ttlAttribute = '' }: TableSpec, nowSeconds: number) => ({
  TableName: name,
  ExpressionAttributeNames: { '#ttl': ttlAttribute },
  ExpressionAttributeValues: { ':now': { N: String(nowSeconds) } },
});

/** The condition spares an item whose time was prolonged in the meantime. */
async function deleteExpired(client: DynamoDBClient, input: Omit<DeleteItemCommand['input'], 'ConditionExpression'>) {
  try {
    await client.send(new DeleteItemCommand({ ...input, ConditionExpression: condition }));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

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
