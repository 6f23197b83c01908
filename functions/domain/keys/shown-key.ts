import { type KeyRecord, type StoredKey, statusOf } from './key-record.ts';

/** The one response that carries the key. */
export function created(record: KeyRecord, key: string, now: number) {
  return { ...shown(record, now), createdAt: new Date(record.createdAt).toISOString(), key };
}

/** A key as lists show it. */
export function shown(record: StoredKey, now: number) {
  return {
    id: record.id,
    name: record.name,
    prefix: record.prefix,
    lastFour: record.lastFour,
    status: statusOf(record, now),
    createdAt: isoOrNull(record.createdAt),
    expiresAt: isoOrNull(record.expiresAt),
    lastUsedAt: isoOrNull(record.lastUsedAt),
  };
}

function isoOrNull(moment: number | undefined): string | null {
  return moment === undefined ? null : new Date(moment).toISOString();
}
