import { readStored, removeStored, store, storedNames } from '../../lib/storage.ts';

/**
 * What this browser keeps for an account over its sessions, under the account's id. It is there again when the same
 * account signs in after a session that expired, and removed when the account signs out here, or another one signs in.
 */
const prefix = 'kept:';
const prefixOf = (account: number): string => `${prefix}${account}:`;
let isClosed = false;

/** Keeps a value; false where it is not kept, as in a document that is being left. */
export const keep = (account: number, name: string, value: string): boolean =>
  !isClosed && store('localStorage', prefixOf(account) + name, value);

export const forget = (account: number, name: string): void => removeStored('localStorage', prefixOf(account) + name);

/** What the account keeps under names that begin so. */
export function kept(account: number, start: string): { readonly value: string }[] {
  return storedNames('localStorage')
    .filter((name) => name.startsWith(prefixOf(account) + start))
    .flatMap((name) => {
      const value = readStored('localStorage', name);
      return value === null ? [] : [{ value }];
    });
}

/** Removes what every account but this one has kept; of each where none is named. */
export function forgetKept(except?: number): void {
  const others = storedNames('localStorage').filter(
    (name) => name.startsWith(prefix) && (except === undefined || !name.startsWith(prefixOf(except))),
  );
  for (const name of others) removeStored('localStorage', name);
}

/** Removes what is kept, and keeps nothing more in this document. */
export function closeAccountStorage(): void {
  isClosed = true;
  forgetKept();
}
