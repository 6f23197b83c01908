import { epochMs, lastInstant } from '#contract/fields.ts';
import { limits } from '#contract/limits.ts';
import { issueCredential } from '../credential.ts';
import type { Clock, Random } from '../ports.ts';
import { ServiceError } from '../service-error.ts';
import { isReadable, type KeyRecord, type StoredKey, statusOf } from './key-record.ts';
import type { KeyStore, KeyWrite } from './key-store.ts';

/** What a caller may change about a key; `expiresAt` in ISO 8601, null meaning never. */
export interface KeyChanges {
  readonly name?: string | undefined;
  readonly status?: 'active' | 'suspended' | undefined;
  readonly expiresAt?: string | null | undefined;
}

const maxTries = 5;

/** `tai_`, the account reference that all keys of an account share, and the first four characters of the secret. */
const shownCharacters = 17;

export type KeyService = ReturnType<typeof keyService>;

/** The life of API keys (design section 3, "Keys" and "Key endpoints"). */
export function keyService(keys: KeyStore, clock: Clock, random: Random) {
  /** Refuses (400) an expiry that is past, which no schema can: none knows what time it is. */
  function checkExpiry(expiresAt: string | null | undefined): void {
    const { expiresAt: ms } = expiry(expiresAt);
    if (ms === undefined || ms > clock.now()) return;
    throw new ServiceError('INVALID_FORMAT', 'expiresAt must be a moment in the future.');
  }

  async function create(accountId: number, input: { name: string; expiresAt?: string | null | undefined }) {
    const now = clock.now();
    const { record, key } = fresh(accountId, { name: input.name, createdAt: now, ...expiry(input.expiresAt) });
    refuseUnlessDone(await keys.create(accountId, record, now));
    return created(record, key, now);
  }

  async function list(accountId: number) {
    const now = clock.now();
    const records = await keys.list(accountId);
    return records
      .toSorted((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0))
      .map((record) => shown(record, now));
  }

  async function change(accountId: number, id: string, changes: KeyChanges) {
    const { expiresAt } = expiry(changes.expiresAt);
    return revise(accountId, id, (record) => {
      if (record.status === 'revoked') throw new ServiceError('INVALID_STATE', 'The key is revoked; create a new one.');
      if (record.suspendedByOperator && changes.status === 'active') {
        throw new ServiceError('INVALID_STATE', 'The key was suspended by an operator; create a new one.');
      }
      const { expiresAt: current, ...rest } = record;
      return {
        ...rest,
        ...(changes.name !== undefined && { name: changes.name }),
        ...(changes.status && { status: changes.status }),
        ...(changes.expiresAt === undefined
          ? current !== undefined && { expiresAt: current }
          : expiresAt !== undefined && { expiresAt }),
      };
    });
  }

  /** For good: the account's owner cannot resume it. One that cannot be read is revoked. */
  async function suspendByOperator(accountId: number, id: string) {
    if (!isReadable(await existing(accountId, id))) return revoke(accountId, id);
    return revise(accountId, id, (record) => {
      if (record.status === 'revoked') throw new ServiceError('INVALID_STATE', 'The key is revoked already.');
      return { ...record, status: 'suspended', suspendedByOperator: true };
    });
  }

  /** Revoking twice is fine: a retry must not fail. */
  async function revoke(accountId: number, id: string) {
    const key = await existing(accountId, id);
    if (!isReadable(key)) {
      await keys.revokeUnreadable(accountId, id);
      return shown({ ...key, status: 'revoked' }, clock.now());
    }
    return revise(accountId, id, (record) => ({ ...record, status: 'revoked' }));
  }

  /** A new key at once; the old one goes on for `graceSeconds`. */
  async function rotate(accountId: number, id: string, graceSeconds: number) {
    const now = clock.now();
    const old = await readableKey(accountId, id);
    const status = statusOf(old, now);
    if (status !== 'active')
      throw new ServiceError('INVALID_STATE', `The key is ${status}; only an active key can be rotated.`);
    const { name, expiresAt } = old;
    const { record, key } = fresh(accountId, { name, createdAt: now, ...(expiresAt !== undefined && { expiresAt }) });
    const ending: KeyRecord =
      graceSeconds > 0
        ? { ...old, expiresAt: Math.min(expiresAt ?? lastInstant, now + graceSeconds * 1000) }
        : { ...old, status: 'revoked' };
    refuseUnlessDone(await keys.rotate(accountId, { ...ending, revision: old.revision + 1 }, record, now));
    return created(record, key, now);
  }

  async function revise(accountId: number, id: string, edit: (record: KeyRecord, now: number) => KeyRecord) {
    for (let tries = 0; tries < maxTries; tries++) {
      const now = clock.now();
      const before = await readableKey(accountId, id);
      const after = { ...edit(before, now), revision: before.revision + 1 };
      const outcome = await keys.change(accountId, after, now);
      if (outcome === 'changed meanwhile') continue;
      refuseUnlessDone(outcome);
      return shown(after, now);
    }
    throw new ServiceError('SERVICE_UNAVAILABLE', 'The key is being changed by others; try again.', {
      headers: { 'Retry-After': '1' },
    });
  }

  async function existing(accountId: number, id: string): Promise<StoredKey> {
    const key = await keys.find(accountId, id);
    if (!key) throw new ServiceError('NOT_FOUND', 'There is no such key.');
    return key;
  }

  async function readableKey(accountId: number, id: string): Promise<KeyRecord> {
    const key = await existing(accountId, id);
    if (isReadable(key)) return key;
    throw new ServiceError(
      'INVALID_STATE',
      'What is stored of the key cannot be read; revoke it and create a new one.',
    );
  }

  function fresh(
    accountId: number,
    about: Pick<KeyRecord, 'name' | 'createdAt' | 'expiresAt'>,
  ): { record: KeyRecord; key: string } {
    const { text: key, digest: id } = issueCredential('key', accountId, random);
    const record: KeyRecord = {
      id,
      ...about,
      prefix: key.slice(0, shownCharacters),
      lastFour: key.slice(-4),
      status: 'active',
      revision: 1,
    };
    return { record, key };
  }

  return { checkExpiry, create, list, change, revoke, rotate, suspendByOperator };
}

function expiry(text: string | null | undefined): { expiresAt?: number } {
  return text === null || text === undefined ? {} : { expiresAt: epochMs(text) };
}

function refuseUnlessDone(outcome: KeyWrite): void {
  if (outcome === 'too many') {
    throw new ServiceError('INVALID_STATE', `An account may have ${limits.activeKeys} active keys; revoke one first.`);
  }
  if (outcome === 'changed meanwhile')
    throw new ServiceError('INVALID_STATE', 'The key was changed meanwhile; look at it again.');
}

function created(record: KeyRecord, key: string, now: number) {
  return { ...shown(record, now), createdAt: new Date(record.createdAt).toISOString(), key };
}

function shown(record: StoredKey, now: number) {
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
