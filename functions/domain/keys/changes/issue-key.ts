import { issueCredential } from '../../shared/credential.ts';
import type { Random } from '../../shared/ports.ts';
import type { KeyRecord } from '../key-record.ts';

/** `tai_`, the account reference that all keys of an account share, and the first four characters of the secret. */
const shownCharacters = 17;

/** A new key with its record. */
export function issueKey(
  accountId: number,
  about: Omit<KeyRecord, 'id' | 'prefix' | 'lastFour' | 'status' | 'revision'>,
  random: Random,
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
