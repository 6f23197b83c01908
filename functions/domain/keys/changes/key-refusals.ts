import { limits } from '#contract/shared/limits.ts';
import { ServiceError } from '../../shared/service-error.ts';
import { isReadable, type KeyRecord, type StoredKey } from '../key-record.ts';
import type { KeyStore, KeyWrite } from '../key-store.ts';

/** Refuses (429) an account that changes its keys too often, once its change is known to be allowed. Operators may at any time. */
export type DemandChange = (accountId: number) => Promise<void>;

export async function demandKey(keys: KeyStore, accountId: number, id: string): Promise<StoredKey> {
  const key = await keys.find(accountId, id);
  if (!key) throw new ServiceError('NOT_FOUND', 'There is no such key.');
  return key;
}

export async function demandReadable(keys: KeyStore, accountId: number, id: string): Promise<KeyRecord> {
  const key = await demandKey(keys, accountId, id);
  if (isReadable(key)) return key;
  throw new ServiceError('INVALID_STATE', 'The stored key cannot be read; revoke it and create a new one.');
}

export function refuseRevoked({ status }: StoredKey): void {
  if (status === 'revoked') throw new ServiceError('INVALID_STATE', 'The key is already revoked.');
}

export function refuseUnlessDone(outcome: KeyWrite): void {
  if (outcome === 'too many active') throw tooMany(`${limits.activeKeys} active keys`);
  if (outcome === 'too many usable') throw tooMany(`${limits.usableKeys} active and suspended keys`);
  if (outcome === 'changed meanwhile')
    throw new ServiceError('INVALID_STATE', 'The key has changed. Get it again, then retry.');
}

function tooMany(keys: string): ServiceError {
  return new ServiceError('INVALID_STATE', `An account can have at most ${keys}. Revoke one first.`);
}
