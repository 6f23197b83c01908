import { dayMs, isoOfSeconds } from '#contract/shared/time.ts';
import { throwTogether, visitEach } from '../shared/concurrency.ts';

/**
 * Days for which a closed month stays in the table, so that neither point-in-time recovery nor a queue restores an
 * archived row (docs/adr/0032-ledger-archive.md).
 */
const openDays = 35;

/** Maximum rows per part. Reading one row reads its whole part: about 0.3 MB, or 1.5 MB uncompressed. */
const rowsPerPart = 5000;

const concurrency = 8;

/** `at` in epoch seconds, `amount` in microcredits. */
export interface StoredRow {
  readonly seq: number;
  readonly at: number;
  readonly amount: number;
  readonly line: string;
}

/** Consecutive rows of one month and account, stored as one object with an index entry. */
export interface LedgerPart {
  /** Such as `2027-03` (UTC). */
  readonly month: string;
  readonly rows: readonly StoredRow[];
}

export interface ArchiveFiles {
  write(key: string, bytes: Uint8Array): Promise<void>;
  read(key: string): Promise<Uint8Array | undefined>;
}

export interface ArchiveStore {
  accounts(after: number | undefined): AsyncGenerator<number>;
  cursor(): Promise<number | undefined>;
  keepCursor(after: number | undefined): Promise<void>;
  through(accountId: number): Promise<number>;
  /** Adds rows older than `before` to their days, if they are not included yet. */
  count(accountId: number, before: number): Promise<void>;
  rowsAfter(accountId: number, seq: number, limit: number): Promise<StoredRow[]>;
  /** Writes the object, then its index entry and `through` in one transaction. Has no effect after a concurrent run. */
  add(accountId: number, part: LedgerPart): Promise<void>;
  /** Deletes the account's archived rows from the table. Stops early when `signal` aborts. */
  removeArchived(accountId: number, through: number, signal: AbortSignal): Promise<void>;
}

export function archivedBefore(now: number): number {
  const date = new Date(now - openDays * dayMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
}

/**
 * Selects rows of one closed month up to the first gap, which the projector may still fill. Excludes the newest row.
 */
function nextPart(rows: readonly StoredRow[], through: number, before: number): LedgerPart | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const month = monthOf(first);
  const isPart = (row: StoredRow, index: number) =>
    row.seq === through + 1 + index && row.at < before && monthOf(row) === month;
  const candidates = rows.slice(0, -1);
  const end = candidates.findIndex((row, index) => !isPart(row, index));
  const part = end === -1 ? candidates : candidates.slice(0, end);
  return part.length > 0 ? { month, rows: part } : undefined;
}

const monthOf = ({ at }: StoredRow): string => isoOfSeconds(at).slice(0, 7);

export function ledgerArchiver(store: ArchiveStore, partRows = rowsPerPart) {
  /** Deletes indexed rows first, so that a run continues after a crash of the last. Returns the number of parts. */
  async function archive(accountId: number, now: number, signal: AbortSignal): Promise<number> {
    await store.count(accountId, archivedBefore(now));
    for (let parts = 0; ;) {
      const through = await store.through(accountId);
      if (through > 0) await store.removeArchived(accountId, through, signal);
      if (signal.aborted) return parts;
      const rows = await store.rowsAfter(accountId, through, partRows + 1);
      const added = await addParts(accountId, rows, through, archivedBefore(now), signal);
      if (added === 0) return parts;
      parts += added;
    }
  }

  /**
   * Adds the parts that start in one read. The last month of a full read may continue after it, so only the first part
   * may end with the read. Stops when the signal aborts or a concurrent run adds a part.
   */
  async function addParts(
    accountId: number,
    read: readonly StoredRow[],
    from: number,
    before: number,
    signal: AbortSignal,
  ): Promise<number> {
    const isFull = read.length > partRows;
    let [rows, through] = [read, from];
    for (let parts = 0; ; parts++) {
      const part = nextPart(rows, through, before);
      if (!part || (parts > 0 && isFull && part.rows.length === rows.length - 1)) return parts;
      await store.add(accountId, part);
      rows = rows.slice(part.rows.length);
      through += part.rows.length;
      if (signal.aborted || (await store.through(accountId)) !== through) return parts + 1;
    }
  }

  /** Reads two rows, which suffice for accounts without rows of closed months. */
  async function visit(accountId: number, now: number, signal: AbortSignal): Promise<number> {
    const [first, second] = await store.rowsAfter(accountId, 0, 2);
    return first && second && first.at < archivedBefore(now) ? archive(accountId, now, signal) : 0;
  }

  /** Starts where an interrupted run stopped. Throws failures together at the end. Returns the number of parts. */
  async function run(now: number, signal: AbortSignal): Promise<number> {
    let parts = 0;
    let last: number | undefined;
    const found = store.accounts(await store.cursor());
    const work = async (accountId: number): Promise<void> => {
      last = accountId;
      const added = await visit(accountId, now, signal);
      parts += added;
    };
    const { failures } = await visitEach(found, work, { concurrency, signal });
    await store.keepCursor(signal.aborted ? last : undefined);
    throwTogether(failures, 'accounts could not be archived');
    return parts;
  }

  return { archive, run };
}
