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
import type { AttributeValue as EventValue } from 'aws-lambda';
import * as v from 'valibot';
import type { TableSpec } from '#contract/platform/resources.ts';
import { describeError } from '../shared/problems.ts';
import type { StreamPump } from './stream-pump.ts';

/**
 * Direct access to the SQLite file of the embedded database, for maintenance that its API does not offer. The file uses
 * a WAL, so several processes can access it and wait for each other's locks.
 */
export interface DatabaseFile {
  /** Keys of items that expired before the given epoch second, oldest expiry first. */
  expired(spec: TableSpec, nowSeconds: number, limit: number): Key[];
  /**
   * Deletes a table's oldest stream records before a sequence number. Returns the number deleted, or 'busy' if the file
   * is locked.
   */
  trimStream(table: string, before: number, limit: number): number | 'busy';
  /** Whether an index, sorted by times in epoch seconds, has an entry up to now. */
  hasDue(table: string, index: string, sortKey: string, nowSeconds: number): boolean;
  /** A table's stream records after a sequence number, in order. Consecutive reads share the objects of a record. */
  streamRecords(table: string, after: number, limit: number): readonly StoredRecord[];
  /** Changes with every write to the database. */
  readonly version: () => number;
  close(): void;
}

export interface StoredRecord {
  readonly shardId: string;
  readonly sequenceNumber: string;
  readonly eventName: string;
  /** Epoch seconds. */
  readonly at: number;
  /** Items in DynamoDB JSON. */
  readonly keys: Item;
  readonly newImage: Item | undefined;
  /** Parsed on each access: few jobs need it. */
  readonly oldImage: () => Item | undefined;
}

/** As Lambda events contain it, with bytes in base64. */
type Item = Record<string, EventValue>;

export type Key = Record<string, AttributeValue>;

/** A longer wait would block the service, which has one thread. */
const lockWaitMs = 5;
/** Lock timeout for schema changes at the start. */
const startWaitMs = 5000;
/** SQLITE_BUSY (https://sqlite.org/rescode.html). */
const busyCode = 5;

/**
 * Opens the file and adds indexes. Without them, the embedded database scans whole tables to number stream records, and
 * cannot find expired items. Returns undefined if another version of the database stores its data differently.
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
    // Deletions may be lost in a power failure. They are then repeated. The database's own writes move the WAL into the
    // file: here, its fsync would block every request.
    database.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = ${lockWaitMs}`);
    return accessTo(database);
  } catch {
    database.close();
    return undefined;
  }
}

const sequence = 'CAST(sequence_number AS INTEGER)';
const expiry = (attribute: string): string => `CAST(json_extract(item_json, '$.${attribute}.N') AS INTEGER)`;

/** Checking each attribute would take longer than parsing. */
const itemJson = v.pipe(
  v.string(),
  v.parseJson(),
  v.custom<Item>((value) => typeof value === 'object' && value !== null),
);
const StreamRow = v.pipe(
  v.object({
    shard_id: v.string(),
    sequence_number: v.string(),
    event_name: v.string(),
    created_at: v.number(),
    keys_json: itemJson,
    new_image: v.nullable(itemJson),
    old_image: v.nullable(v.string()),
  }),
  v.transform(({ old_image: old, ...row }): StoredRecord => {
    return {
      shardId: row.shard_id,
      sequenceNumber: row.sequence_number,
      eventName: row.event_name,
      at: row.created_at,
      keys: row.keys_json,
      newImage: row.new_image ?? undefined,
      oldImage: () => (old === null ? undefined : v.parse(itemJson, old)),
    };
  }),
);

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

  const read = database.prepare(
    `SELECT shard_id, sequence_number, event_name, created_at, keys_json, new_image, old_image FROM _stream_records WHERE table_name = ? AND ${sequence} > ? ORDER BY ${sequence} LIMIT ?`,
  );
  const dataVersion = database.prepare('PRAGMA data_version');
  const version = () => Number(dataVersion.get()?.['data_version']);
  /** The last read of each table, because the jobs of a stream read the same records, in different pages. */
  const reads = new Map<string, { readonly of: string; readonly records: readonly StoredRecord[] }>();

  return {
    version,
    streamRecords(table, after, limit) {
      const of = `${version()} ${after} ${limit}`;
      const last = reads.get(table);
      if (last?.of === of) return last.records;
      const known = new Map(last?.records.map((record) => [record.sequenceNumber, record]));
      const rows = read.all(table, after, limit);
      const records = rows.map((row) => known.get(String(row['sequence_number'])) ?? v.parse(StreamRow, row));
      reads.set(table, { of, records });
      return records;
    },
    expired({ name, ttlAttribute, partitionKey, sortKey }, nowSeconds, limit) {
      if (!ttlAttribute) return [];
      const isExpired = `${expiry(ttlAttribute)} < ?`;
      const rows = database
        .prepare(`SELECT item_json FROM "${name}" WHERE ${isExpired} ORDER BY ${expiry(ttlAttribute)} LIMIT ?`)
        .all(nowSeconds, limit);
      const names = [partitionKey, ...(sortKey ? [sortKey] : [])].map((key) => key.name);
      return rows.map((row) => keyOf(v.parse(StoredItem, row).item_json, names));
    },
    hasDue(table, index, sortKey, nowSeconds) {
      const entries = `"${table}::gsi::${index}"`;
      // Only the first entry of each partition is parsed.
      const first = `SELECT gsi_pk AS pk, MIN(gsi_sk) AS sk FROM ${entries} GROUP BY gsi_pk`;
      const isFirst = `gsi_pk = pk AND gsi_sk = sk AND ${expiry(sortKey)} <= ?`;
      return (
        database.prepare(`SELECT 1 FROM (${first}) JOIN ${entries} ON ${isFirst} LIMIT 1`).get(nowSeconds) !== undefined
      );
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

function keyOf(item: Key, names: readonly string[]): Key {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === busyCode;

/** A rewrite takes about 10 ms per MB of remaining data. */
const minFreeBytes = 64 * 1024 * 1024;

/**
 * Rewrites the file before the database opens it, if at least half of its pages are free: SQLite reuses free pages but
 * never releases them. The file is unchanged if the process crashes.
 */
export function compactFile(file: string): void {
  if (!existsSync(file)) return;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    const freePages = pragma(database, 'freelist_count');
    const isWorthwhile = freePages * pragma(database, 'page_size') >= minFreeBytes;
    if (isWorthwhile && freePages * 2 >= pragma(database, 'page_count'))
      database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // A leftover process may still use the file, or the disk may be too full for a copy.
  } finally {
    database?.close();
  }
}

const pragma = (database: DatabaseSync, name: string): number =>
  Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);

/** `file` is undefined for an external database. */
export interface TtlDatabase {
  readonly client: DynamoDBClient;
  readonly file: DatabaseFile | undefined;
}

/** Deletes expired items. `now` is in epoch ms of the shifted clock. */
export type TtlSweep = (now: number) => Promise<void>;

/** A run ends after `runMs`. The next one continues. */
const itemsPerSlice = 50;
const runMs = 2000;
/** Items read per table and run without an index, which takes about 5 ms. */
const itemsPerScan = 250;

/**
 * Deletes expired items, like DynamoDB's TTL. An idle run costs one index lookup. Deletes items one at a time, so that
 * a concurrent read waits for at most one write.
 */
export function createTtlSweep({ client, file }: TtlDatabase, specs: readonly TableSpec[]): TtlSweep {
  const expiring = specs.filter(({ ttlAttribute }) => ttlAttribute !== undefined);
  const cursors = new Map<string, Key | undefined>();

  async function scanExpired(spec: TableSpec, nowSeconds: number): Promise<Key[]> {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        ...expiredItems(spec, nowSeconds),
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
      for (const Key of keys) await deleteExpired(client, { ...expiredItems(spec, nowSeconds), Key });
      if (!file || keys.length < itemsPerSlice || performance.now() >= end) return;
    }
  }

  return async (now) => {
    const end = performance.now() + runMs;
    for (const spec of expiring) await sweepTable(spec, Math.floor(now / 1000), end);
  };
}

const condition = '#ttl < :now';

const expiredItems = ({ name, ttlAttribute = '' }: TableSpec, nowSeconds: number) => ({
  TableName: name,
  ExpressionAttributeNames: { '#ttl': ttlAttribute },
  ExpressionAttributeValues: { ':now': { N: String(nowSeconds) } },
});

/** The condition keeps an item whose expiry was extended in the meantime. */
async function deleteExpired(client: DynamoDBClient, input: Omit<DeleteItemCommand['input'], 'ConditionExpression'>) {
  try {
    await client.send(new DeleteItemCommand({ ...input, ConditionExpression: condition }));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

export interface StreamTrimOptions {
  readonly file: Pick<DatabaseFile, 'trimStream'>;
  readonly pumps: ReadonlyMap<string, readonly Pick<StreamPump, 'position'>[]>;
  readonly log: (line: string) => void;
}

/** Deleting a slice blocks other writes for about 2 ms. */
const recordsPerSlice = 100;
const betweenSlicesMs = 10;
const restMs = 2000;

/**
 * Deletes stream records that all pumps have processed. DynamoDB deletes them after 24 hours, the embedded database
 * never. Keeps the last processed record, because the database numbers the next one after it.
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
        log(`stream records could not be deleted: ${describeError(error)}`);
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
