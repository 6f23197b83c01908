import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's own codes: what is stored contradicts itself, and the file is no database (https://sqlite.org/rescode.html). */
const damageCodes: ReadonlySet<unknown> = new Set([11, 26]);

/** Looked through in a fifth of a second; a larger file is left unchecked, so that it does not hold up the start. */
const maxCheckedBytes = 64 * 1024 * 1024;

/**
 * Whether the database's pages and indexes contradict each other, so that what is read may be wrong and what is written
 * may do more harm. Values that changed within a page are not noticed: SQLite keeps no checksums.
 */
export function isDamaged(file: string): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 || size > maxCheckedBytes) return false;
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] !== 'ok';
    } finally {
      database.close();
    }
  } catch (error) {
    return error instanceof Error && 'errcode' in error && damageCodes.has(error.errcode);
  }
}
