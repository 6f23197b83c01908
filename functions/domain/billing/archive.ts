import { throwTogether, visitEach } from '../shared/concurrency.ts';

/**
 * Days for which a closed month stays in the table: as long as point-in-time recovery reaches back, and more than twice as
 * long as any queue keeps a message, so that neither brings back a row that has left it (docs/adr/0032-ledger-archive.md).
 */
const openDays = 35;
const dayMs = 86_400_000;

/** Rows of a part. A reader of one row reads its whole part: about 0.3 MB, 1.5 MB unzipped. */
const rowsPerPart = 5000;

/** Accounts at a time; each has at most a part in memory. */
const concurrency = 8;

/** A row as it is stored. `at` in epoch seconds, `amount` in microcredits. */
export interface StoredRow {
  readonly seq: number;
  readonly at: number;
  readonly amount: number;
  /** The whole row as one line of JSON; equal for equal rows. */
  readonly line: string;
}

/** Rows of one month and account without a gap: an object of the archive, and its entry in the index. */
export interface LedgerPart {
  /** As in `2027-03` (UTC). */
  readonly month: string;
  readonly rows: readonly StoredRow[];
}

/** The objects of the archive, by their keys. An object never changes. */
export interface ArchiveFiles {
  write(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined if there is no such object. */
  read(key: string): Promise<Uint8Array | undefined>;
}

export interface ArchiveStore {
  /** Accounts with rows in the table, after this one in the table's own order. */
  accounts(after: number | undefined): AsyncGenerator<number>;
  /** The last account of a run that ended early; undefined: it came to the end. */
  cursor(): Promise<number | undefined>;
  keepCursor(after: number | undefined): Promise<void>;
  /** The `seq` up to which an account's rows are archived; 0 if no row is. */
  through(accountId: number): Promise<number>;
  /** The account's first rows in the table after a `seq`, oldest first. */
  rowsAfter(accountId: number, seq: number, limit: number): Promise<StoredRow[]>;
  /**
   * Writes the object, then its index entry and the new `through` in one transaction. Changes nothing if the account's rows are
   * no longer archived up to the row before the part: another run was faster.
   */
  add(accountId: number, part: LedgerPart): Promise<void>;
  /** Deletes the account's archived rows from the table. They may be many: stops early when `signal` aborts. */
  removeArchived(accountId: number, through: number, signal: AbortSignal): Promise<void>;
}

/** Start (epoch seconds) of the oldest month that stays in the table, at `now` (epoch ms). */
export function archivedBefore(now: number): number {
  const date = new Date(now - openDays * dayMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
}

/**
 * The next rows to archive, of the first rows after `through`: those of one closed month up to the first gap, as the projector
 * may still write the missing row. The last row given stays, so that an account's newest row is always in the table.
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

const monthOf = ({ at }: StoredRow): string => new Date(at * 1000).toISOString().slice(0, 7);

/** Moves the rows of closed months from the table to the archive. */
export function ledgerArchiver(store: ArchiveStore, partRows = rowsPerPart) {
  /**
   * Archives an account's closed months until all is done or `signal` aborts. Returns the number of parts. A run that crashes
   * anywhere is continued by the next: only rows in the index are deleted, so deletion comes first.
   */
  async function archive(accountId: number, now: number, signal: AbortSignal): Promise<number> {
    for (let parts = 0; ; parts++) {
      const through = await store.through(accountId);
      if (through > 0) await store.removeArchived(accountId, through, signal);
      if (signal.aborted) return parts;
      const part = nextPart(await store.rowsAfter(accountId, through, partRows + 1), through, archivedBefore(now));
      if (!part) return parts;
      await store.add(accountId, part);
    }
  }

  /** Archives an account if its first rows in the table are of a closed month: of most accounts no more is read. */
  async function visit(accountId: number, now: number, signal: AbortSignal): Promise<number> {
    const [first, second] = await store.rowsAfter(accountId, 0, 2);
    return first && second && first.at < archivedBefore(now) ? archive(accountId, now, signal) : 0;
  }

  /**
   * Archives the closed months of all accounts, from where the last run ended early. An account that fails does not stop the
   * others; failures are reported together at the end. Returns the number of parts.
   */
  async function run(now: number, signal: AbortSignal): Promise<number> {
    let parts = 0;
    let last: number | undefined;
    const found = store.accounts(await store.cursor());
    const work = async (accountId: number): Promise<void> => {
      last = accountId;
      parts += await visit(accountId, now, signal);
    };
    const { failures } = await visitEach(found, work, { concurrency, signal });
    await store.keepCursor(signal.aborted ? last : undefined);
    throwTogether(failures, 'accounts could not be archived');
    return parts;
  }

  return { archive, run };
}
