import { useEffect } from 'react';
import { documentAccount, reloadDocument } from '../../api/account/account.ts';

/** A page that begins a session does so in a document without an account yet. */
export function useOwnDocument(): void {
  useEffect(() => {
    if (documentAccount() !== undefined) void reloadDocument();
  }, []);
}
