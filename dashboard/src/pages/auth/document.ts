import { useEffect, useState } from 'react';
import { documentAccount, reloadDocument } from '../../api/account/account.ts';

/** A page that begins a session does so in a document without an account yet. */
export function useOwnDocument(): void {
  useEffect(() => {
    if (documentAccount() !== undefined) void reloadDocument();
  }, []);
}

/** The token of the mailed link that led here; empty without one. */
export function useLinkToken(): string {
  const [token] = useState(() => new URLSearchParams(window.location.search).get('token') ?? '');
  return token;
}

/** Removes the token from the URL, so that the browser history does not keep it. */
export function forgetLinkToken(): void {
  window.history.replaceState(window.history.state, '', window.location.pathname);
}
