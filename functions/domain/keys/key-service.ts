import { limits } from '#contract/limits.ts';
import { issueCredential } from '../credential.ts';
import type { Clock, Random } from '../ports.ts';
import { ServiceError } from '../service-error.ts';
import { type KeyRecord, statusOf } from './key-record.ts';
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
  async function create(accountId: number, input: { name: string; expiresAt?: string | null | undefined }) {
    const now = clock.now();
    const { record, key } = fresh(accountId, { name: input.name, createdAt: now, ...expiry(input.expiresAt, now) });
    refuseUnlessDone(await keys.create(accountId, record, now));
    return { ...shown(record, now), key };
  }

  async function list(accountId: number) {
    const now = clock.now();
    const records = await keys.list(accountId);
    return records.toSorted((one, other) => other.createdAt - one.createdAt).map((record) => shown(record, now));
  }

  async function change(accountId: number, id: string, changes: KeyChanges) {
    const { expiresAt } = changes.expiresAt === undefined ? {} : expiry(changes.expiresAt, clock.now());
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

  /** For good: the account's owner cannot resume it. */
  function suspendByOperator(accountId: number, id: string) {
    return revise(accountId, id, (record) => {
      if (record.status === 'revoked') throw new ServiceError('INVALID_STATE', 'The key is revoked already.');
      return { ...record, status: 'suspended', suspendedByOperator: true };
    });
  }

  /** Revoking twice is fine: a retry must not fail. */
  function revoke(accountId: number, id: string) {
    return revise(accountId, id, (record) => ({ ...record, status: 'revoked' }));
  }

  /** A new key at once; the old one goes on for `graceSeconds`. */
  async function rotate(accountId: number, id: string, graceSeconds: number) {
    const now = clock.now();
    const old = await existing(accountId, id);
    const status = statusOf(old, now);
    if (status !== 'active')
      throw new ServiceError('INVALID_STATE', `The key is ${status}; only an active key can be rotated.`);
    const { name, expiresAt } = old;
    const { record, key } = fresh(accountId, { name, createdAt: now, ...(expiresAt !== undefined && { expiresAt }) });
    const ending: KeyRecord =
      graceSeconds > 0
        ? { ...old, expiresAt: Math.min(expiresAt ?? Number.POSITIVE_INFINITY, now + graceSeconds * 1000) }
        : { ...old, status: 'revoked' };
    refuseUnlessDone(await keys.rotate(accountId, { ...ending, revision: old.revision + 1 }, record, now));
    return { ...shown(record, now), key };
  }

  async function revise(accountId: number, id: string, edit: (record: KeyRecord, now: number) => KeyRecord) {
    for (let tries = 0; tries < maxTries; tries++) {
      const now = clock.now();
      const before = await existing(accountId, id);
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

  async function existing(accountId: number, id: string): Promise<KeyRecord> {
    const record = await keys.find(accountId, id);
    if (!record) throw new ServiceError('NOT_FOUND', 'There is no such key.');
    return record;
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

  return { create, list, change, revoke, rotate, suspendByOperator };
}

function expiry(text: string | null | undefined, now: number): { expiresAt?: number } {
  if (text === null || text === undefined) return {};
  const expiresAt = Date.parse(text);
  if (!(expiresAt > now)) throw new ServiceError('INVALID_FORMAT', 'expiresAt must be a moment in the future.');
  return { expiresAt };
}

function refuseUnlessDone(outcome: KeyWrite): void {
  if (outcome === 'too many') {
    throw new ServiceError('INVALID_STATE', `An account may have ${limits.activeKeys} active keys; revoke one first.`);
  }
  if (outcome === 'changed meanwhile')
    throw new ServiceError('INVALID_STATE', 'The key was changed meanwhile; look at it again.');
}

function shown(record: KeyRecord, now: number) {
  return {
    id: record.id,
    name: record.name,
    prefix: record.prefix,
    lastFour: record.lastFour,
    status: statusOf(record, now),
    createdAt: new Date(record.createdAt).toISOString(),
    expiresAt: isoOrNull(record.expiresAt),
    lastUsedAt: isoOrNull(record.lastUsedAt),
  };
}

function isoOrNull(moment: number | undefined): string | null {
  return moment === undefined ? null : new Date(moment).toISOString();
}
